/** Where a key is taken from when it is given for one command; none of the ways shows it. */
import { readFileSync } from 'node:fs';
import { CliError } from '../errors.ts';
import { describeFsError } from '../files/file-errors.ts';
import type { Host } from '../host/host.ts';
import { type ApiKey, isLikelyKey, parseApiKey } from '../secrets/api-key.ts';

export interface KeyFlags {
  apiKeyFile?: string | undefined;
  apiKeyStdin?: boolean | undefined;
}

/** Where the key came from: a file that a flag names, standard input, FORMULARY_API_KEY, or a kept profile. */
export type KeySource = 'flag' | 'stdin' | 'environment' | 'profile';

export interface FoundKey {
  key: ApiKey;
  keySource: KeySource;
}

export const KEY_HINT = 'set FORMULARY_API_KEY, give --api-key-file FILE or --api-key-stdin';

/** The key that a flag says, or undefined without such a flag. Raises denied (4) for an empty one, usage (2) for one that cannot be read. */
export async function readFlagKey({ apiKeyFile, apiKeyStdin }: KeyFlags, host: Host): Promise<FoundKey | undefined> {
  if (apiKeyStdin && apiKeyFile !== undefined) {
    throw new CliError('usage', '--api-key-stdin and --api-key-file exclude each other', {
      hint: 'leave one of them out',
    });
  }
  if (apiKeyStdin) return { key: await readInputKey(host, 'API key: '), keySource: 'stdin' };
  if (apiKeyFile === undefined) return undefined;
  if (apiKeyFile === '') throw new CliError('usage', '--api-key-file is empty; wanted is a file that holds the key');
  return { key: requireKey(readKeyFile(apiKeyFile), apiKeyFile), keySource: 'flag' };
}

/** The key from standard input: all of it, or a line typed without echo on a terminal. */
export async function readInputKey(host: Host, question: string): Promise<ApiKey> {
  const source = host.stdinIsTerminal ? 'what was typed' : 'standard input';
  const text = host.stdinIsTerminal ? await host.askHidden(question) : await host.readStdin();
  return requireKey(text ?? '', source);
}

/** The key of FORMULARY_API_KEY, if there is one in it. */
export function findEnvironmentKey(host: Host): FoundKey | undefined {
  const key = parseApiKey(host.env['FORMULARY_API_KEY'] ?? '', 'FORMULARY_API_KEY');
  return key && { key, keySource: 'environment' };
}

/** The header that carries the key: as a flag says, else the environment, else the usual one. */
export const resolveKeyHeader = (flag: string | undefined, { env }: Host): string =>
  parseHeaderName(flag ?? (env['FORMULARY_API_KEY_HEADER'] || DEFAULT_KEY_HEADER));

export const DEFAULT_KEY_HEADER = 'SVC-API-KEY';

/** Headers that direct HTTP itself, or that the tool sends with a meaning of their own. */
const RESERVED_HEADER =
  /^(host|connection|keep-alive|upgrade|expect|te|trailer|transfer-encoding|http2-settings|date|cookie|user-agent|content-.*|accept.*|proxy-.*)$/i;

/** A header's name as HTTP allows it (RFC 9110, token); not one that carries the request itself. */
export function parseHeaderName(name: string): string {
  const expectation = 'wanted is a header name such as SVC-API-KEY';
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) {
    throw new CliError('usage', `the key header "${name}" is no header name; ${expectation}`);
  }
  if (!RESERVED_HEADER.test(name)) return name;
  throw new CliError(
    'usage',
    `the key header cannot be "${name}", which has a meaning of its own in HTTP; ${expectation}`,
  );
}

function requireKey(text: string, source: string): ApiKey {
  const key = parseApiKey(text, source);
  if (!key) throw new CliError('denied', `there is no API key in ${source}`, { hint: KEY_HINT });
  return key;
}

function readKeyFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const isKey = isLikelyKey(file);
    throw new CliError(
      'usage',
      `--api-key-file${isKey ? '' : ` ${file}`} cannot be read${isKey ? '; its name is not shown, since it looks like a key' : ''}: ${describeFsError(error)}`,
      { hint: 'name a file that holds the key and nothing else' },
    );
  }
}
