/** formulary auth login */
import { probeReadAccess } from '../../api/formula-reads.ts';
import type { DefineCommand } from '../../cli/define.ts';
import { CliError } from '../../errors.ts';
import type { Host } from '../../host/host.ts';
import { openConnection } from '../../session/connection.ts';
import { withOutputFlags, withServiceFlags } from '../../session/flags.ts';
import { createSession } from '../../session/session.ts';
import { formatBaseUrl } from '../../settings/base-url.ts';
import { type FoundKey, readFlagKey, readInputKey } from '../../settings/key-sources.ts';
import { hasLoginBaseUrl, resolveLoginAddress } from '../../settings/login-address.ts';
import { resolveProfileName } from '../../settings/resolve-address.ts';
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
import { ACCESS_FIELDS, accessView, describeLogin, toKeyFields } from '../../views/access-view.ts';

export const login: DefineCommand = (command, host) => {
  withServiceFlags(withOutputFlags(command))
    .description(
      'Save an API key for a service, in a file that only you can read. You are prompted for the base URL and the key (hidden input); without a terminal, pass --base-url and the key on standard input. The key is checked before it is saved, unless you pass --no-check.',
    )
    .option('--no-check', 'save the key without checking it')
    .option('--no-input', 'never prompt')
    .addHelpText(
      'after',
      '\nExamples:\n  formulary auth login --base-url https://api.example.com\n  formulary auth login --base-url https://test.example.com --profile test < key.txt',
    )
    .action(async (typed) => {
      const session = createSession(typed, host, ACCESS_FIELDS);
      const { print, note } = session;
      requireConfigFolder(host);
      const flags = await withBaseUrl(typed, host);
      const name = resolveProfileName(flags, host) ?? DEFAULT_PROFILE;
      const limits = resolveTimeouts(flags, host);
      const previous = readProfile(host, name, note);
      const address = resolveLoginAddress(flags, host, previous);
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
      note(describeLogin(name, baseUrl, host.env));
      if (previous && previous.baseUrl !== baseUrl)
        note(`This replaced the login to ${previous.baseUrl}. To save several, pass --profile NAME.`);
    });
};

/** Prompts for a base URL that no flag, variable, or profile has. */
async function withBaseUrl<Flags extends ServiceFlags & { input?: boolean | undefined }>(
  flags: Flags,
  host: Host,
): Promise<Flags> {
  if (!host.canAsk || flags.input === false || flags.local) return flags;
  const name = resolveProfileName(flags, host) ?? DEFAULT_PROFILE;
  if (
    hasLoginBaseUrl(
      flags,
      host,
      readProfile(host, name, () => undefined),
    )
  )
    return flags;
  const baseUrl = (await host.ask('Base URL of the service (https://…): ', host.stderr.hasColor))?.trim();
  return baseUrl ? { ...flags, baseUrl } : flags;
}

/** Reads the key from a flag, the prompt, or standard input; never from FORMULARY_API_KEY. */
async function readKeyToSave(
  flags: ServiceFlags & { input?: boolean | undefined },
  host: Host,
  baseUrl: string,
): Promise<FoundKey> {
  const flagged = await readFlagKey(flags, host);
  if (flagged) return flagged;
  if (host.stdinIsTerminal && !(host.canAsk && flags.input !== false)) {
    throw new CliError('usage', 'cannot prompt for the API key (no terminal, or --no-input); no key was saved', {
      hint: 'Pass --api-key-stdin or --api-key-file FILE.',
    });
  }
  return { key: await readInputKey(host, `API key for ${baseUrl} (input hidden): `), keySource: 'stdin' };
}

async function checkKey(target: RemoteTarget, flags: ServiceFlags, host: Host): Promise<void> {
  const { client } = await openConnection(target, flags, host);
  try {
    await probeReadAccess(client);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const { outcome, message, hint, status, requestId, details } = error;
    throw new CliError(outcome, `the key was not saved: ${message}`, {
      hint: status === 401 ? hint : `${hint ? `${hint.split('\n')[0]}\n` : ''}Use --no-check to save it anyway.`,
      cause: error,
      status,
      requestId,
      details,
    });
  }
}
