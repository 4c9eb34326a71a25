/** Waits for a debugger. */
import { say } from './channel.ts';

/** Listens on loopback and blocks until a debugger has attached; false where the port is in use. */
export function waitForDebugger(port: number): boolean {
  const inspector = require('node:inspector') as typeof import('node:inspector');
  try {
    inspector.open(port, '127.0.0.1');
  } catch {
    // Newer releases throw where the port is in use; older ones have no URL then.
  }
  if (inspector.url() === undefined) {
    say(`{"portInUse":${port}}`);
    return false;
  }
  say('{"inspecting":true}');
  inspector.waitForDebugger();
  say('{"attached":true}');
  return true;
}
