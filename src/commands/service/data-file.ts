/** Which data file a command about the embedded service means. */
import { CliError } from '../../errors.ts';
import type { Host } from '../../host/host.ts';
import { requireTrustedDataFile } from '../../settings/resolve-target.ts';

/** The data file: --data, else what the environment says, else the user's own. Raises usage (2) for an empty name. */
export function resolveDataFile({ data }: { data?: string | undefined }, host: Host): string {
  if (data === '') throw new CliError('usage', '--data is empty; wanted is the path of a data file');
  return data ?? requireTrustedDataFile(host);
}
