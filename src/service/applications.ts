/** Applications of the embedded service: their keys and permissions (spec 5). */
import { randomInt } from 'node:crypto';
import { CliError } from '../errors.ts';
import { suggest } from '../text/did-you-mean.ts';
import { randomId, sha256 } from '../text/hash.ts';
import { APPLICATION_TYPES, filterPermissions, PERMISSIONS } from './permissions.ts';
import type { Application, Store } from './store/store.ts';
import { formatIsoWithOffset } from './times.ts';

interface NewApplication {
  name: string;
  type: string;
  permissions: readonly string[];
  /** Default: a new key. */
  key?: string;
  now: Date;
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const KEY_LENGTH = 32;

/**
 * Creates an application. Its key is returned only once: the store has its hash.
 * @throws CliError `usage` for an unknown type, a permission that the type cannot have (spec 2.2), an invalid key, or one in use.
 */
export function createApplication(store: Store, request: NewApplication): { application: Application; key: string } {
  const created = buildApplication(request);
  store.applications.insert(created.application, hashKey(created.key));
  return created;
}

/**
 * Creates a management application with all permissions if the store has no application.
 * @returns the new key, to be shown once; undefined if `key` was used or nothing was created.
 * @throws CliError `usage` for an invalid `key`.
 */
export function createFirstApplication(store: Store, key: string | undefined, now: Date): string | undefined {
  const permissions = filterPermissions('management').map((row) => row.type);
  const request: NewApplication = { name: 'first application', type: 'management', permissions, now };
  const created = buildApplication(key === undefined ? request : { ...request, key });
  const isNew = store.applications.insertFirst(created.application, hashKey(created.key));
  return isNew && key === undefined ? created.key : undefined;
}

/**
 * Trims the key of FORMULARY_SERVICE_KEY; undefined if it is empty.
 * @throws CliError `usage` for an invalid key.
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

export function findApplication(store: Store, key: string): Application | undefined {
  return store.applications.findByKeyHash(hashKey(key));
}

function generateKey(): string {
  const characters = Array.from({ length: KEY_LENGTH }, () => BASE62.charAt(randomInt(BASE62.length)));
  return `key_${characters.join('')}`;
}

/** Unsalted, because it is looked up; generated keys have 190 random bits. */
function hashKey(key: string): string {
  return sha256(key).toString('hex');
}

function checkType(type: string): void {
  if (APPLICATION_TYPES.some((known) => known === type)) return;
  const hint = `Application types: ${APPLICATION_TYPES.join(', ')}`;
  throw new CliError('usage', formatUnknown('application type', type, APPLICATION_TYPES), { hint });
}

function formatUnknown(noun: string, value: string, known: readonly string[]): string {
  const suggestion = suggest(value, known);
  return `unknown ${noun} ${JSON.stringify(value)}${suggestion ? `; did you mean ${suggestion}?` : ''}`;
}

function checkPermission(permission: string, type: string): void {
  const row = PERMISSIONS.find((known) => known.type === permission);
  if (row?.application_types.some((allowed) => allowed === type)) return;
  const message = row
    ? `an application of type ${type} cannot have the permission ${permission}, only ${row.application_types.join(' or ')} can`
    : formatUnknown(
        'permission',
        permission,
        PERMISSIONS.map((known) => known.type),
      );
  const allowed = filterPermissions(type).map((known) => known.type);
  throw new CliError('usage', message, { hint: `Permissions of ${type} applications: ${allowed.join(', ')}` });
}

/** A key must be valid in a header; the message does not show it. */
function checkKey(key: string, what = 'the key'): void {
  if (/^[!-~]([ -~]*[!-~])?$/.test(key)) return;
  throw new CliError('usage', `${what} must be printable ASCII without leading or trailing spaces`);
}
