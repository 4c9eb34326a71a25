/** formulary auth login */
import { probeReadAccess } from '../../api/formula-reads.ts';
import { CliError } from '../../errors.ts';
import type { Host } from '../../host/host.ts';
import { openConnection } from '../../program/connection.ts';
import type { DefineCommand } from '../../program/define.ts';
import { withOutputFlags, withServiceFlags } from '../../program/flags.ts';
import { createSession } from '../../program/session.ts';
import { formatBaseUrl } from '../../settings/base-url.ts';
import { type FoundKey, readFlagKey, readInputKey } from '../../settings/key-sources.ts';
import { resolveLoginAddress, resolveProfileName } from '../../settings/resolve-address.ts';
import {
  createRemoteTarget,
  type RemoteTarget,
  resolveTimeouts,
  type ServiceFlags,
} from '../../settings/resolve-target.ts';
import {
  DEFAULT_PROFILE,
  listProfileNames,
  readProfile,
  requireConfigFolder,
  writeProfile,
} from '../../state/profiles.ts';
import { accessView, toKeyFields } from '../../views/access-view.ts';

export const login: DefineCommand = (command, host) => {
  withServiceFlags(withOutputFlags(command))
    .summary('keep a key for a base address')
    .description(
      'Keep an API key with the base address that it is for, in a file that only you can read, so that commands use it without being told. The key is asked for without showing it; without a terminal it is read from standard input. It is kept only if the service accepts it for reading, unless --no-check is given.',
    )
    .option('--no-check', 'keep the key without asking the service')
    .option('--no-input', 'never ask, as where there is no terminal')
    .addHelpText(
      'after',
      '\nExamples:\n  formulary auth login --base-url https://api.example.com\n  formulary auth login --base-url https://test.example.com --profile test < key.txt',
    )
    .action(async (flags) => {
      const session = createSession(flags, host);
      const { print, note } = session;
      const name = resolveProfileName(flags, host) ?? DEFAULT_PROFILE;
      requireConfigFolder(host);
      const limits = resolveTimeouts(flags, host);
      const address = resolveLoginAddress(flags, host, readProfile(host, name, note));
      const baseUrl = formatBaseUrl(address.baseUrl);
      const found = await readKeyToSave(flags, host, baseUrl);
      host.addRedactor((text) => found.key.redactIn(text));
      if (flags.check) await checkKey(await createRemoteTarget(address, found, limits, flags, host), flags, host);
      writeProfile(host, { name, baseUrl, key: found.key, keyHeader: address.keyHeader });
      const access = {
        base_url: baseUrl,
        base_url_source: 'profile' as const,
        ...toKeyFields({ key: found.key, keySource: 'profile' }),
        key_header: address.keyHeader,
        profile: name,
        accepted: flags.check ? true : null,
      };
      await print(accessView(access, listProfileNames(host)));
      note(describeUse(name, host));
    });
};

/** From a flag, a person, or a pipe; FORMULARY_API_KEY is for the commands themselves, and is not kept. */
async function readKeyToSave(
  flags: ServiceFlags & { input?: boolean | undefined },
  host: Host,
  baseUrl: string,
): Promise<FoundKey> {
  const flagged = await readFlagKey(flags, host);
  if (flagged) return flagged;
  if (host.stdinIsTerminal && !(host.canAsk && flags.input !== false)) {
    throw new CliError('usage', 'no key was kept: there is no terminal to ask on, or --no-input forbids it', {
      hint: 'give --api-key-stdin or --api-key-file FILE',
    });
  }
  return { key: await readInputKey(host, `API key for ${baseUrl} (it is not shown): `), keySource: 'stdin' };
}

async function checkKey(target: RemoteTarget, flags: ServiceFlags, host: Host): Promise<void> {
  const { client } = await openConnection(target, flags, host);
  try {
    await probeReadAccess(client);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const { outcome, message, hint, status, requestId, details } = error;
    throw new CliError(outcome, `the key was not kept: ${message}`, {
      hint: `${hint ? `${hint}; ` : ''}--no-check keeps it all the same`,
      cause: error,
      status,
      requestId,
      details,
    });
  }
}

function describeUse(name: string, { env }: Host): string {
  if (name !== DEFAULT_PROFILE) return `use it with --profile ${name}, or FORMULARY_PROFILE=${name}`;
  const stronger = ['FORMULARY_PROFILE', 'FORMULARY_BASE_URL', 'FORMULARY_API_KEY'].filter((variable) => env[variable]);
  return stronger.length > 0
    ? `commands use it where the environment says nothing; here ${stronger.join(' and ')} beats it`
    : 'commands use it from now on';
}
