/** Applications of the embedded service: who holds a key, and which permissions the key carries (spec 5). */

import { randomInt } from 'node:crypto';
import { CliError } from '../errors.ts';
import { suggest } from '../text/did-you-mean.ts';
import { randomId, sha256 } from '../text/hash.ts';
import { APPLICATION_TYPES, filterPermissions, PERMISSIONS } from './permissions.ts';
import type { Application, Store } from './store/store.ts';
import { formatIsoWithOffset } from './times.ts';

export interface NewApplication {
  name: string;
  type: string;
  permissions: readonly string[];
  /** A key chosen by the caller; else one is made. */
  key?: string;
  now: Date;
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const KEY_LENGTH = 32;

/**
 * Makes and keeps an application. Its key is returned this once: the store has only a hash of it.
 * @throws CliError `usage` for an unknown type, a permission that the type may not have (spec 2.2), an unusable or taken key.
 */
export function createApplication(store: Store, request: NewApplication): { application: Application; key: string } {
  const created = buildApplication(request);
  store.applications.insert(created.application, hashKey(created.key));
  return created;
}

/**
 * Makes a management application with all its permissions where the store has no application at all.
 * @returns the key if one had to be made, to be shown once; undefined where `key` was taken or nothing was made.
 * @throws CliError `usage` if `key` is unusable.
 */
export function createFirstApplication(store: Store, key: string | undefined, now: Date): string | undefined {
  const permissions = filterPermissions('management').map((row) => row.type);
  const request: NewApplication = { name: 'first application', type: 'management', permissions, now };
  const created = buildApplication(key === undefined ? request : { ...request, key });
  const isNew = store.applications.insertFirst(created.application, hashKey(created.key));
  return isNew && key === undefined ? created.key : undefined;
}

/**
 * The key of FORMULARY_SERVICE_KEY, without white space at its ends; undefined for an empty one.
 * @throws CliError `usage` if it is unusable.
 */
export function parseServiceKey(text: string | undefined): string | undefined {
  const key = text?.trim() || undefined;
  if (key !== undefined) checkKey(key, 'the key in FORMULARY_SERVICE_KEY');
  return key;
}

function buildApplication(request: NewApplication): { application: Application; key: string } {
  checkType(request.type);
  for (const permission of request.permissions) checkPermission(permission, request.type);
  const key = request.key ?? generateKey();
  checkKey(key);
  const application: Application = {
    id: randomId(),
    name: request.name,
    type: request.type,
    permissions: [...new Set(request.permissions)],
    created_at: formatIsoWithOffset(request.now),
  };
  return { application, key };
}

/** The application that holds this key. */
export function findApplication(store: Store, key: string): Application | undefined {
  return store.applications.findByKeyHash(hashKey(key));
}

function generateKey(): string {
  const characters = Array.from({ length: KEY_LENGTH }, () => BASE62.charAt(randomInt(BASE62.length)));
  return `key_${characters.join('')}`;
}

/** Unsalted, so that it can be looked up: made keys have 190 bits that no dictionary holds. */
function hashKey(key: string): string {
  return sha256(key).toString('hex');
}

function checkType(type: string): void {
  if (APPLICATION_TYPES.some((known) => known === type)) return;
  const suggestion = suggest(type, APPLICATION_TYPES);
  throw new CliError(
    'usage',
    `there is no application type ${JSON.stringify(type)}${suggestion ? `; did you mean ${suggestion}?` : ''}`,
    {
      hint: `use one of: ${APPLICATION_TYPES.join(', ')}`,
    },
  );
}

function checkPermission(permission: string, type: string): void {
  const row = PERMISSIONS.find((known) => known.type === permission);
  if (row?.application_types.some((allowed) => allowed === type)) return;
  const suggestion = suggest(
    permission,
    PERMISSIONS.map((known) => known.type),
  );
  const message = row
    ? `an application of type ${type} cannot have the permission ${permission}, only ${row.application_types.join(' or ')} can`
    : `there is no permission ${JSON.stringify(permission)}${suggestion ? `; did you mean ${suggestion}?` : ''}`;
  const hint = `Permissions of ${type} applications: ${filterPermissions(type)
    .map((known) => known.type)
    .join(', ')}`;
  throw new CliError('usage', message, { hint });
}

/** A key must fit into a header as it is; the message does not show it. */
function checkKey(key: string, what = 'the key'): void {
  if (/^[!-~]([ -~]*[!-~])?$/.test(key)) return;
  throw new CliError('usage', `${what} must be printable ASCII characters, without white space at its ends`);
}
