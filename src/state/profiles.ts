/** Saved profiles: a key with its base URL, one file each in the configuration folder, readable by this user only. */
import { chmodSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { attempt, CliError } from '../errors.ts';
import { makeFolders, writeFileAtomic } from '../files/atomic-write.ts';
import { fileUsageError } from '../files/file-errors.ts';
import { removeTemporaryFiles } from '../files/temporary-files.ts';
import type { Host } from '../host/host.ts';
import { type ApiKey, parseApiKey } from '../secrets/api-key.ts';
import { isObject } from '../text/json-type.ts';
import {
  canOthersAccess,
  readPrivateFile,
  requireTrustedConfig,
  unreadableError,
  warnAboutAccess,
} from './private-file.ts';
import { getConfigFolder } from './xdg-paths.ts';

export interface Profile {
  name: string;
  /** Checked by `auth login`, but the user may have edited it since. */
  baseUrl: string;
  /** The key, or the command that prints it. */
  key: ApiKey | { command: string };
  keyHeader: string;
  /** The name of the service in the lock file. */
  target?: string | undefined;
  isReadOnly?: boolean | undefined;
}

/** The profile that is used if none is passed. */
export const DEFAULT_PROFILE = 'default';

/** Raises usage (2) for an invalid profile name. `source` is a flag or variable. */
export function parseProfileName(name: string, source: string): string {
  if (name === 'local') {
    throw new CliError('usage', `${source} is "local", the embedded service, which needs no key`, {
      hint: source.startsWith('--')
        ? 'Choose another name. To use the embedded service, pass --local.'
        : `Unset ${source}, or pass --profile NAME.`,
    });
  }
  // Valid as a file name on every system, and never a path.
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) return name;
  const message = `invalid profile name ${JSON.stringify(name)} (${source}): must have 1 to 64 letters, digits, dots, underscores, or hyphens`;
  throw new CliError('usage', message);
}

/**
 * The sorted names of all saved profiles; none without a configuration folder. Raises usage (2) for a folder that cannot
 * be read, or that others can change.
 */
export function listProfileNames(host: Host): string[] {
  const folder = getProfileFolder(host);
  if (folder === undefined) return [];
  try {
    const files = readdirSync(folder);
    requireTrustedConfig(host, dirname(folder));
    return files.flatMap((file) => /^([A-Za-z0-9][\w.-]*)\.json$/.exec(file)?.[1] ?? []).sort();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw unreadableError(String(folder), error);
  }
}

/**
 * A saved profile; undefined if there is none of this name. Warns about files that others can read. Raises usage (2) for a
 * file that is invalid, from a newer version, or that others can change.
 */
export function readProfile(host: Host, name: string, warn: (text: string) => void): Profile | undefined {
  const folder = getProfileFolder(host);
  // Compared with the list, because a case-insensitive file system would return another profile.
  if (folder === undefined || !listProfileNames(host).includes(name)) return undefined;
  for (const path of [dirname(folder), folder]) warnAboutAccess(path, statSync(path), host, warn);
  const file = join(folder, `${name}.json`);
  return parseProfile(readPrivateFile(file, host, warn), name, file);
}

/** Saves a profile, and replaces one of the same name. Raises usage (2) if that fails. */
export function writeProfile(host: Host, { name, baseUrl, key, keyHeader, target, isReadOnly }: Profile): void {
  const folder = getProfileFolder(host);
  if (folder === undefined) throw missingConfigFolderError();
  const caseVariant = listProfileNames(host).find(
    (other) => other !== name && other.toLowerCase() === name.toLowerCase(),
  );
  if (caseVariant !== undefined) {
    throw new CliError('usage', `there is a profile "${caseVariant}", and "${name}" differs from it in case alone`, {
      hint: 'Choose another name.',
    });
  }
  const content = {
    version: 1,
    base_url: baseUrl,
    api_key_header: keyHeader,
    ...('command' in key ? { key_command: key.command } : { api_key: key.reveal() }),
    ...(target !== undefined && { target }),
    ...(isReadOnly && { read_only: true }),
  };
  requireTrustedConfig(host, dirname(folder));
  try {
    makeFolders(folder, 0o700);
    requireTrustedConfig(host, dirname(folder));
    for (const path of [dirname(folder), folder]) if (canOthersAccess(statSync(path), host)) chmodSync(path, 0o700);
    removeTemporaryFiles(folder);
    writeFileAtomic(join(folder, `${name}.json`), `${JSON.stringify(content, null, 2)}\n`, 0o600);
  } catch (error) {
    const { path } = error as NodeJS.ErrnoException;
    throw fileUsageError(
      `could not save the key: ${path ?? folder} cannot be written`,
      error,
      'Check the permissions of that folder, or set XDG_CONFIG_HOME to another one.',
    );
  }
}

/** Removes a profile, even an invalid one; false if there is none of this name. */
export function removeProfile(host: Host, name: string): boolean {
  const folder = getProfileFolder(host);
  const names = listProfileNames(host);
  if (folder !== undefined) removeTemporaryFiles(folder);
  if (folder === undefined || !names.includes(name)) return false;
  const file = join(folder, `${name}.json`);
  try {
    rmSync(file);
    return true;
  } catch (error) {
    throw fileUsageError(`${file} cannot be removed`, error);
  }
}

/** Raises usage (2) if keys cannot be saved, or others can change the folder. Call before prompting for a key. */
export function requireConfigFolder(host: Host): void {
  const config = getConfigFolder(host);
  if (config === undefined) throw missingConfigFolderError();
  requireTrustedConfig(host, config);
}

const missingConfigFolderError = () =>
  new CliError('usage', 'could not save a key: HOME is not set', {
    hint: 'Set XDG_CONFIG_HOME to a folder, or set FORMULARY_BASE_URL and FORMULARY_API_KEY instead.',
  });

function getProfileFolder(host: Host): string | undefined {
  const config = getConfigFolder(host);
  return config && join(config, 'profiles');
}

function parseProfile(text: string, name: string, file: string): Profile {
  const { base_url, api_key_header, api_key, key_command, target, read_only } = parseJsonObject(text);
  const savedKey = typeof api_key === 'string' ? parseApiKey(api_key, `the profile "${name}"`) : undefined;
  const key = typeof key_command === 'string' ? { command: key_command } : savedKey;
  if (key === undefined || typeof base_url !== 'string' || typeof api_key_header !== 'string') {
    throw new CliError('usage', `${file} is damaged: it does not contain a base URL with its key`, {
      hint: `To delete the profile, run: formulary auth logout --profile ${name}`,
    });
  }
  return {
    name,
    baseUrl: base_url,
    key,
    keyHeader: api_key_header,
    target: typeof target === 'string' && target !== '' ? target : undefined,
    // A guard that cannot be read stays on.
    isReadOnly: read_only !== undefined && read_only !== false,
  };
}

function parseJsonObject(text: string): Record<string, unknown> {
  const value: unknown = attempt(() => JSON.parse(text));
  return isObject(value) ? value : {};
}
