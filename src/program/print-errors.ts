/** Prints the errors of several items on stderr. */
import type { CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { formatErrors } from '../output/error-lines.ts';
import { wrapMessage } from '../output/wrap-message.ts';

export function printErrors(errors: readonly CliError[], { stderr }: Pick<Host, 'stderr'>): void {
  for (const line of formatErrors(errors)) stderr.write(`${wrapMessage(line, stderr)}\n`);
}
