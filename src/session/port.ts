/** --port: where a command that serves listens. */
import { CliError } from '../errors.ts';

/** A port; 0, the default, is any free port. Raises usage (2). */
export function parsePort(text = '0'): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new CliError('usage', `invalid value "${text}" for --port: must be an integer from 0 to 65535`);
}
