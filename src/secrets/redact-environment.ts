/** The keys in the environment: hidden in all output from the start, whatever the command does with them. */

import { CliError } from '../errors.ts';
import { type Host, KEY_VARIABLES } from '../host/host.ts';
import { keyIn } from './api-key.ts';

/** Hides them; what cannot be a key is refused, unshown, by the command that wants one. */
export function hideEnvironmentKeys(host: Host): void {
  for (const name of KEY_VARIABLES) {
    try {
      const key = keyIn(host.env[name] ?? '', name);
      if (key) host.hide((text, isContent) => key.hideIn(text, isContent));
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
    }
  }
}
