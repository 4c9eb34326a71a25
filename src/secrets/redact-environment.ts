/** The keys in the environment: hidden in all output from the start, whatever the command does with them. */

import { CliError } from '../errors.ts';
import { type Host, KEY_VARIABLES } from '../host/host.ts';
import { parseApiKey } from './api-key.ts';

/** Hides them; what cannot be a key is refused, unshown, by the command that wants one. */
export function redactEnvironmentKeys(host: Host): void {
  for (const name of KEY_VARIABLES) {
    try {
      const key = parseApiKey(host.env[name] ?? '', name);
      if (key) host.addRedactor((text, isContent) => key.redactIn(text, isContent));
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
    }
  }
}
