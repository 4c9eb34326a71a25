/** A real store in a folder of its own, the real app over it, and short ways to ask it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createApp, type ServiceOptions } from '../../src/service/app.ts';
import { type Application, openStore, type Store, type StoredFormula } from '../../src/service/store/store.ts';
import { sha256 } from '../../src/text/hash.ts';
import { BARE } from '../helpers/folders.ts';

export const REACTOR_PERMISSIONS = ['reactor:read', 'reactor:create', 'reactor:update', 'reactor:delete'];

export const ADMIN: Application = {
  id: '11111111-2222-4333-8444-555555555555',
  name: 'admin',
  type: 'management',
  permissions: REACTOR_PERMISSIONS,
  created_at: '2026-01-01T00:00:00.000+00:00',
};

/** The key of the application that a service is asked as. */
export const KEY = 'key-of-the-admin';

export const NOW = new Date('2026-02-03T04:05:06.789Z');

/** A folder that is gone after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'formulary-service-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A store that is closed after the test. */
export async function temporaryStore(file = join(temporaryFolder(), 'data', 'local.db')): Promise<Store> {
  const store = await openStore(file);
  onTestFinished(() => store.close());
  return store;
}

export interface Asked {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: responses are read freely; a wrong format fails the expectation
  json: any;
}

export interface Service {
  store: Store;
  app: ReturnType<typeof createApp>;
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Asked>;
}

/** The app over a new store, asked as `application` with its key; null: with what headers say. */
export async function temporaryService(
  application: Application | null = ADMIN,
  options: ServiceOptions = {},
): Promise<Service> {
  const store = await temporaryStore();
  const app = createApp(store, { now: () => NOW, ...options });
  if (application) store.applications.insert(application, sha256(KEY).toString('hex'));
  const key = application ? { 'svc-api-key': KEY } : {};
  return {
    store,
    app,
    ask: async (method, path, body, headers = {}) =>
      answer(await app.fetch(formatRequest(`http://localhost${path}`, method, body, { ...key, ...headers }))),
  };
}

/** Text and bytes are sent as they are, anything else as JSON. */
export function formatRequest(
  url: string,
  method: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Request {
  if (body === undefined) return new Request(url, { method, headers });
  const isRaw = typeof body === 'string' || body instanceof Uint8Array;
  return new Request(url, {
    method,
    body: isRaw ? body : JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  });
}

export async function answer(response: Response): Promise<Asked> {
  const text = await response.text();
  const json = /json/.test(response.headers.get('content-type') ?? '') ? JSON.parse(text) : undefined;
  return { status: response.status, headers: response.headers, text, json };
}

/** A body that the service accepts. */
export function bodyOf(more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    name: 'Tax numbers',
    type: 'private',
    code: 'module.exports = async () => ({});',
    ...BARE,
    ...more,
  };
}

/** A formula as the service operator would put it into the store. */
export function officialFormula(more: Partial<StoredFormula> = {}): StoredFormula {
  return {
    id: 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee',
    name: 'Official',
    description: null,
    type: 'official',
    status: 'verified',
    icon: null,
    code: 'module.exports = async () => ({});',
    ...BARE,
    created_at: '2026-01-01T00:00:00.000+00:00',
    created_by: ADMIN.id,
    modified_at: null,
    modified_by: null,
    ...more,
  };
}
