/** The data file of a command for the embedded service. */
import { CliError } from '../../errors.ts';
import type { Host } from '../../host/host.ts';
import { requireTrustedDataFile } from '../../settings/resolve-target.ts';

/** --data, otherwise the environment variable, otherwise the default. Raises usage (2) for an empty path. */
export function resolveDataFile({ data }: { data?: string | undefined }, host: Host): string {
  if (data === '') throw new CliError('usage', 'invalid value "" for --data: must be the path of a data file');
  return data ?? requireTrustedDataFile(host);
}
