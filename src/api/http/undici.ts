/** The parts of undici that are used; a chunk of its own, because most commands need none. */
import buildConnector, { type Connect } from 'undici/lib/core/connect.js';
import Client from 'undici/lib/dispatcher/client.js';

export type { Dispatcher } from 'undici';
export { buildConnector, Client, type Connect };

/** Loaded only for several connections. */
export const loadPool = async () => (await import('undici/lib/dispatcher/pool.js')).default;

/** Sends CONNECT; loaded only for a proxy. */
export const loadConnectRequest = async () => (await import('undici/lib/api/api-connect.js')).default;
