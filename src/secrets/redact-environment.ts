/** Redacts the keys of the environment in all output. */
import { CliError } from '../errors.ts';
import { type Host, KEY_VARIABLES } from '../host/host.ts';
import { parseApiKey } from './api-key.ts';

/** An invalid key is ignored here; the command that needs it rejects it. */
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
