/** formulary auth status */
import { probeReadAccess } from '../../api/formula-reads.ts';
import type { DefineCommand } from '../../cli/define.ts';
import { CliError } from '../../errors.ts';
import type { Host } from '../../host/host.ts';
import { escapeControls } from '../../output/escape.ts';
import { openConnection } from '../../session/connection.ts';
import { withOutputFlags, withServiceFlags } from '../../session/flags.ts';
import { createSession } from '../../session/session.ts';
import { formatBaseUrl } from '../../settings/base-url.ts';
import { findAddress, findKey, missingBaseUrlError, missingKeyError } from '../../settings/resolve-address.ts';
import { resolveTimeouts, type ServiceFlags, type Target } from '../../settings/resolve-target.ts';
import { listProfileNames } from '../../state/profiles.ts';
import { ACCESS_FIELDS, type Access, accessView, toKeyFields } from '../../views/access-view.ts';

export const status: DefineCommand = (command, host) => {
  withServiceFlags(withOutputFlags(command))
    .description(
      'Show the base URL and the API key that commands use, their sources, and whether the service accepts the key for reading. The result is also printed if the key is missing (4) or rejected (4), or the service is unavailable (8).',
    )
    .action(async (flags) => {
      const session = createSession(flags, host, ACCESS_FIELDS);
      const { access, error } = await readKeyStatus(flags, host);
      await session.print(accessView(access, listProfiles(host)));
      if (error) throw error;
    });
};

/** The names of the saved profiles. An error is only a warning, since the key may have another source. */
function listProfiles(host: Host): string[] {
  try {
    return listProfileNames(host);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    host.stderr.write(`warning: ${escapeControls(error.message)}\n`);
    return [];
  }
}

interface KeyStatus {
  access: Access;
  /** Why the key cannot be used. */
  error: CliError | undefined;
}

async function readKeyStatus(flags: ServiceFlags, host: Host): Promise<KeyStatus> {
  const limits = resolveTimeouts(flags, host);
  const address = findAddress(flags, host);
  if (!address) throw missingBaseUrlError(host, 'not logged in: no base URL configured');
  if (address.kind === 'local') {
    const error = await probeKey({ address, limits, found: undefined }, flags, host);
    return { access: { ...LOCAL_ACCESS, accepted: toAccepted(error) }, error };
  }
  const found = await findKey(address, flags, host);
  const error = found ? await probeKey({ address, limits, found }, flags, host) : missingKeyError(address, host);
  const { baseUrl, baseUrlSource, keyHeader, profile } = address;
  const isFromProfile = baseUrlSource === 'profile' || found?.keySource === 'profile' || found?.keySource === 'command';
  const access = {
    base_url: formatBaseUrl(baseUrl),
    base_url_source: baseUrlSource,
    ...toKeyFields(found),
    key_header: keyHeader,
    profile: isFromProfile ? (profile?.name ?? null) : null,
    accepted: toAccepted(error),
  };
  return { access, error };
}

const LOCAL_ACCESS = {
  base_url: null,
  base_url_source: null,
  key: null,
  key_source: null,
  key_header: null,
  profile: 'local',
};

const toAccepted = (error: CliError | undefined) =>
  error === undefined ? true : error.outcome === 'denied' ? false : null;

async function probeKey(target: Target, flags: ServiceFlags, host: Host): Promise<CliError | undefined> {
  const { client } = await openConnection(target, flags, host);
  try {
    await probeReadAccess(client);
    return undefined;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    if (error.status !== 403) return error;
    // The other lines of the hint name this command.
    return new CliError(error.outcome, error.message, { ...error, hint: error.hint?.split('\n')[0], cause: error });
  }
}
