/** formulary auth status */
import { checkReading } from '../../api/formula-reads.ts';
import { CliError } from '../../errors.ts';
import type { Host } from '../../host/host.ts';
import { visible } from '../../output/escape.ts';
import { openTarget } from '../../program/connection.ts';
import type { Define } from '../../program/define.ts';
import { withOutputFlags, withServiceFlags } from '../../program/flags.ts';
import { createSession } from '../../program/session.ts';
import { addressOf } from '../../settings/base-url.ts';
import { findKey, noKey, resolvePlace } from '../../settings/resolve-address.ts';
import {
  localTarget,
  remoteTarget,
  type ServiceFlags,
  type Target,
  timeLimits,
} from '../../settings/resolve-target.ts';
import { profileNames } from '../../state/profiles.ts';
import { type Access, accessAnswer, keyFacts } from '../../views/access-view.ts';

export const status: Define = (command, host) => {
  withServiceFlags(withOutputFlags(command))
    .summary('show which key is used, from where, and whether it is accepted')
    .description(
      'Show which key commands would use, where it comes from, for which address it is, and whether the service accepts it for reading. The answer is printed also when the key is missing (4), refused (4), or the service cannot be asked (8).',
    )
    .addHelpText('after', '\nExamples:\n  formulary auth status\n  formulary auth status --profile test --json')
    .action(async (flags) => {
      const session = createSession(flags, host);
      const { print } = session;
      const { access, trouble } = await lookUp(flags, host);
      await print(accessAnswer(access, savedProfiles(host)));
      if (trouble) throw trouble;
    });
};

/** Where they cannot be read, a warning says so: the key that is used came from elsewhere. */
function savedProfiles(host: Host): string[] {
  try {
    return profileNames(host);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    host.stderr.write(`warning: ${visible(error.message)}\n`);
    return [];
  }
}

interface LookedUp {
  access: Access;
  /** Why the key cannot be used, where that is so. */
  trouble: CliError | undefined;
}

async function lookUp(flags: ServiceFlags, host: Host): Promise<LookedUp> {
  const limits = timeLimits(flags, host);
  const place = resolvePlace(flags, host);
  if (place.kind === 'local') {
    const trouble = await refusal(localTarget(host, limits), flags, host);
    return { access: { ...LOCAL, accepted: acceptance(trouble) }, trouble };
  }
  const found = await findKey(place, flags, host);
  const trouble = found
    ? await refusal(await remoteTarget(place, found, limits, flags, host), flags, host)
    : noKey(place, host);
  const { baseUrl, addressSource, keyHeader, profile } = place;
  const isFromProfile = addressSource === 'profile' || found?.keySource === 'profile';
  const access = {
    base_url: addressOf(baseUrl),
    base_url_source: addressSource,
    ...keyFacts(found),
    key_header: keyHeader,
    profile: isFromProfile ? (profile?.name ?? null) : null,
    accepted: acceptance(trouble),
  };
  return { access, trouble };
}

const LOCAL = {
  base_url: null,
  base_url_source: null,
  key: null,
  key_source: null,
  key_header: null,
  profile: 'local',
};

const acceptance = (trouble: CliError | undefined) =>
  trouble === undefined ? true : trouble.outcome === 'denied' ? false : null;

async function refusal(target: Target, flags: ServiceFlags, host: Host): Promise<CliError | undefined> {
  const { send } = await openTarget(target, flags, host);
  try {
    await checkReading(send);
    return undefined;
  } catch (error) {
    if (error instanceof CliError) return error;
    throw error;
  }
}
