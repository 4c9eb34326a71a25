/** Where this machine keeps what is remembered between runs: `formulary` in the user's folders (XDG). */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Host } from '../host.ts';

/** The state folder; undefined where there is neither XDG_STATE_HOME nor a home. It need not exist. */
export function stateFolder({ env, home }: Host): string | undefined {
  const xdg = env['XDG_STATE_HOME'];
  const state = xdg?.startsWith('/') ? xdg : home && join(home, '.local', 'state');
  return state && join(state, 'formulary');
}

/** The configuration folder; undefined where there is neither XDG_CONFIG_HOME nor a home. It need not exist. */
export function configFolder({ env, home }: Host): string | undefined {
  const xdg = env['XDG_CONFIG_HOME'];
  const config = xdg?.startsWith('/') ? xdg : home && join(home, '.config');
  return config && join(config, 'formulary');
}

/** A short name that is safe as a file's name and differs for different texts: 16 hexadecimal digits. */
export const fingerprint = (...texts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 16);
