/** The parts of undici that are used. A file of its own in dist, since most commands need none of them. */
import request from 'undici/lib/api/api-request.js';
import buildConnector, { type Connect } from 'undici/lib/core/connect.js';
import Client from 'undici/lib/dispatcher/client.js';

export type { Dispatcher } from 'undici';
export { buildConnector, Client, type Connect, request };

/** Loaded only where several connections are shared. */
export const loadPool = async () => (await import('undici/lib/dispatcher/pool.js')).default;

/** Asks a proxy for a tunnel; loaded only where there is one. */
export const loadConnectRequest = async () => (await import('undici/lib/api/api-connect.js')).default;
