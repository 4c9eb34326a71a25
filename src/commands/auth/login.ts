/** formulary auth login */

import { probeReadAccess } from '../../api/formula-reads.ts';
import type { DefineCommand } from '../../cli/define.ts';
import { CliError } from '../../errors.ts';
import type { Host } from '../../host/host.ts';
import { openConnection } from '../../session/connection.ts';
import { findFlag, withOutputFlags, withServiceFlags } from '../../session/flags.ts';
import { createSession } from '../../session/session.ts';
import { formatBaseUrl } from '../../settings/base-url.ts';
import { type FoundKey, readFlagKey, readInputKey } from '../../settings/key-sources.ts';
import { resolveLoginAddress } from '../../settings/login-address.ts';
import { resolveProfileName, toServiceAddress } from '../../settings/resolve-address.ts';
import { resolveTimeouts, type ServiceFlags, type Target } from '../../settings/resolve-target.ts';
import {
  DEFAULT_PROFILE,
  listProfileNames,
  type Profile,
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
    .option('--key-command <command>', 'save a command that prints the key, instead of a key')
    .option('--read-only', 'refuse commands that write to the service with this login')
    .option('--no-read-only', 'allow them again')
    .option('--no-check', 'save the key without checking it')
    .option('--no-input', 'never prompt')
    .action(async (typed) => {
      const session = createSession(typed, host, ACCESS_FIELDS);
      const { print, note } = session;
      requireConfigFolder(host);
      const name = resolveProfileName(typed, host) ?? DEFAULT_PROFILE;
      const previous = readProfile(host, name, note);
      const flags = await withBaseUrl(typed, previous, host);
      const limits = resolveTimeouts(flags, host);
      const address = resolveLoginAddress(flags, host, previous);
      const baseUrl = formatBaseUrl(address.baseUrl);
      const found = await findKeyToSave(flags, host, baseUrl, name);
      if (found) await checkKey({ address, found, limits }, flags, host);
      const key = flags.keyCommand === undefined ? found?.key : { command: flags.keyCommand };
      if (key)
        writeProfile(host, { name, baseUrl, keyHeader: address.keyHeader, key, ...mergeSettings(flags, previous) });
      const access = {
        base_url: baseUrl,
        base_url_source: 'profile' as const,
        ...toKeyFields(found),
        key_source: flags.keyCommand === undefined ? ('profile' as const) : ('command' as const),
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

/** Target and read-only mode of an existing profile are kept unless flags change them. */
const mergeSettings = ({ target, readOnly }: LoginFlags, previous: Profile | undefined) => ({
  target: target ?? previous?.target,
  isReadOnly: readOnly ?? previous?.isReadOnly,
});

type LoginFlags = ServiceFlags & {
  input?: boolean | undefined;
  check?: boolean | undefined;
  keyCommand?: string | undefined;
  readOnly?: boolean | undefined;
};

/** The key to save; with --key-command the one that it prints, unless it is not checked. */
async function findKeyToSave(
  flags: LoginFlags,
  host: Host,
  baseUrl: string,
  profile: string,
): Promise<FoundKey | undefined> {
  const { keyCommand } = flags;
  if (keyCommand === undefined) return readKeyToSave(flags, host, baseUrl);
  const other = findFlag(flags, ['apiKeyStdin', 'apiKeyFile']);
  if (other) throw new CliError('usage', `--key-command and ${other} cannot be used together`);
  const { parseKeyCommand, runKeyCommand } = await import('../../settings/key-command.ts');
  parseKeyCommand(keyCommand, host.platform);
  return flags.check ? { key: runKeyCommand(keyCommand, profile, host), keySource: 'command' } : undefined;
}

/** Prompts for a base URL that no flag, variable, or profile has. */
async function withBaseUrl(flags: LoginFlags, previous: Profile | undefined, host: Host): Promise<LoginFlags> {
  if (!host.canAsk || flags.input === false || flags.local || toServiceAddress(flags, host, previous, false))
    return flags;
  const baseUrl = (await host.ask('Base URL of the service (https://…): ', host.stderr.hasColor))?.trim();
  return baseUrl ? { ...flags, baseUrl } : flags;
}

/** Reads the key from a flag, the prompt, or standard input; never from FORMULARY_API_KEY. */
async function readKeyToSave(flags: LoginFlags, host: Host, baseUrl: string): Promise<FoundKey> {
  const flagged = await readFlagKey(flags, host);
  if (flagged) return flagged;
  if (host.stdinIsTerminal && !(host.canAsk && flags.input !== false)) {
    throw new CliError('usage', 'cannot prompt for the API key (no terminal, or --no-input); no key was saved', {
      hint: 'Pass --api-key-stdin or --api-key-file FILE.',
    });
  }
  return { key: await readInputKey(host, `API key for ${baseUrl} (input hidden): `), keySource: 'stdin' };
}

/** From here on the key is hidden in all output. */
async function checkKey(target: Target & { found: FoundKey }, flags: LoginFlags, host: Host): Promise<void> {
  host.addRedactor((text, isContent) => target.found.key.redactIn(text, isContent));
  if (!flags.check) return;
  const { client } = await openConnection(target, flags, host);
  try {
    await probeReadAccess(client);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const { outcome, message, hint, status } = error;
    throw new CliError(outcome, `the key was not saved: ${message}`, {
      ...error,
      hint: status === 401 ? hint : `${hint ? `${hint.split('\n')[0]}\n` : ''}Use --no-check to save it anyway.`,
      cause: error,
    });
  }
}
