/** Rejects values in quotes, which `docker run --env-file` leaves in the environment. */
import { CliError } from '../errors.ts';

/** Raises usage (2) for a value in quotes. `source` is a flag or variable. */
export function assertUnquoted(text: string, source: string): void {
  if (!/^\s*(["']).*\1\s*$/s.test(text)) return;
  throw new CliError('usage', `${source} has quotes around its value`, {
    hint: 'Remove the quotes: a shell does it, but docker run --env-file, for example, keeps them.',
  });
}
