/** Waits for a debugger. */
import { send } from './channel.ts';

/** Listens on loopback and blocks until a debugger attaches; false if the port is in use. */
export function waitForDebugger(port: number): boolean {
  const inspector = require('node:inspector') as typeof import('node:inspector');
  try {
    inspector.open(port, '127.0.0.1');
  } catch {
    // Newer releases throw if the port is in use; in older ones the URL is undefined.
  }
  if (inspector.url() === undefined) {
    send(`{"portInUse":${port}}`);
    return false;
  }
  send('{"inspecting":true}');
  inspector.waitForDebugger();
  send('{"attached":true}');
  return true;
}
