/** The parts of undici that are used. A file of its own in dist, since most commands need none of them. */
import request from 'undici/lib/api/api-request.js';
import Client from 'undici/lib/dispatcher/client.js';

export { Client, request };

/** Loaded only where several connections are shared. */
export const loadPool = async () => (await import('undici/lib/dispatcher/pool.js')).default;
