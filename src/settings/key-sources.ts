/** Reads API keys and the name of their header, without showing a key. */
import { CliError } from '../errors.ts';
import { describeFsError } from '../files/file-errors.ts';
import { isPassedPipe } from '../files/paths.ts';
import { readNamedFile } from '../files/regular-file.ts';
import type { Host } from '../host/host.ts';
import { type ApiKey, isLikelyKey, parseApiKey } from '../secrets/api-key.ts';
import { assertUnquoted } from './quotes.ts';

export interface KeyFlags {
  apiKeyFile?: string | undefined;
  apiKeyStdin?: boolean | undefined;
}

export type KeySource = 'flag' | 'stdin' | 'environment' | 'environment_file' | 'profile' | 'command';

export const KEY_SOURCES: Readonly<Record<KeySource, string>> = {
  flag: '--api-key-file',
  stdin: 'standard input',
  environment: 'FORMULARY_API_KEY',
  environment_file: 'FORMULARY_API_KEY_FILE',
  profile: 'saved by auth login',
  command: 'key command saved by auth login',
};

export interface FoundKey {
  key: ApiKey;
  keySource: KeySource;
}

export const KEY_HINT =
  'Set FORMULARY_API_KEY or FORMULARY_API_KEY_FILE, or pass --api-key-file FILE or --api-key-stdin.';

/** Reads the key of a flag; undefined without one. Raises denied (4) for an empty key, usage (2) for an unreadable file. */
export async function readFlagKey({ apiKeyFile, apiKeyStdin }: KeyFlags, host: Host): Promise<FoundKey | undefined> {
  if (apiKeyStdin && apiKeyFile !== undefined) {
    throw new CliError('usage', '--api-key-stdin and --api-key-file cannot be used together');
  }
  if (apiKeyStdin) return { key: await readInputKey(host, 'API key: '), keySource: 'stdin' };
  if (apiKeyFile === undefined) return undefined;
  if (apiKeyFile === '') throw new CliError('usage', '--api-key-file must be a file (got an empty string)');
  const source = isPassedPipe(apiKeyFile) ? 'the pipe of --api-key-file' : apiKeyFile;
  return { key: requireKey(readKeyFile(apiKeyFile, '--api-key-file'), source), keySource: 'flag' };
}

/** Reads the key from standard input: all of it, or on a terminal a line with hidden input. */
export async function readInputKey(host: Host, question: string): Promise<ApiKey> {
  const source = host.stdinIsTerminal ? 'the prompt' : 'standard input';
  const text = host.stdinIsTerminal ? await host.askHidden(question) : (await host.readStdin()).toString('utf8');
  return requireKey(text ?? '', source);
}

/** Whether the environment has a key. */
export const hasEnvironmentKey = ({ env }: Host): boolean =>
  Boolean(env['FORMULARY_API_KEY']?.trim() || env['FORMULARY_API_KEY_FILE']);

/** Reads FORMULARY_API_KEY, or the file of FORMULARY_API_KEY_FILE; undefined if both are empty. Raises usage (2) for both. */
export function findEnvironmentKey(host: Host): FoundKey | undefined {
  const text = host.env['FORMULARY_API_KEY'] ?? '';
  const file = host.env['FORMULARY_API_KEY_FILE'];
  if (file && text.trim() !== '') {
    throw new CliError('usage', 'FORMULARY_API_KEY and FORMULARY_API_KEY_FILE cannot be used together', {
      hint: 'Unset one of them.',
    });
  }
  if (file) {
    const keyOfFile = requireKey(readKeyFile(file, 'FORMULARY_API_KEY_FILE'), file);
    return { key: keyOfFile, keySource: 'environment_file' };
  }
  assertUnquoted(text, 'FORMULARY_API_KEY');
  const key = parseApiKey(text, 'FORMULARY_API_KEY');
  return key && { key, keySource: 'environment' };
}

/** The header of the key: the flag, otherwise the environment, otherwise the default. */
export const resolveKeyHeader = (flag: string | undefined, { env }: Host): string =>
  parseHeaderName(flag ?? (env['FORMULARY_API_KEY_HEADER'] || DEFAULT_KEY_HEADER));

export const DEFAULT_KEY_HEADER = 'SVC-API-KEY';

/** Headers of HTTP itself, or that the tool sends for another purpose. */
const RESERVED_HEADER =
  /^(host|connection|keep-alive|upgrade|expect|te|trailer|transfer-encoding|http2-settings|date|cookie|user-agent|content-.*|accept.*|proxy-.*)$/i;

/** Raises usage (2) for an invalid header name (RFC 9110, token), or a reserved one. */
export function parseHeaderName(name: string): string {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) {
    throw new CliError('usage', `the key header must be a header name, such as SVC-API-KEY (got "${name}")`);
  }
  if (!RESERVED_HEADER.test(name)) return name;
  throw new CliError('usage', `the key header must not be "${name}", which HTTP uses; for example: SVC-API-KEY`);
}

function requireKey(text: string, source: string): ApiKey {
  assertUnquoted(text, source);
  const key = parseApiKey(text, source);
  if (key) return key;
  const alternative = source === 'standard input' ? '--api-key-file FILE' : 'another file';
  const hint =
    source === 'the prompt'
      ? 'Run the command again and enter the key.'
      : `Write the key to ${source}, or pass ${alternative}.`;
  throw new CliError('denied', `no API key in ${source}`, { hint });
}

function readKeyFile(file: string, source: string): string {
  try {
    return readNamedFile(file).toString('utf8');
  } catch (error) {
    const isKey = isLikelyKey(file);
    const message = `${source}${isKey ? '' : ` ${file}`} cannot be read${isKey ? '; its name is not shown, because it looks like a key' : ''}: ${describeFsError(error)}`;
    throw new CliError('usage', message, { hint: 'Use a file that contains only the key.' });
  }
}
