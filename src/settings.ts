/** Where and as whom a command acts: flag beats environment beats default. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApiKey, HIDDEN } from './api-key.ts';
import { CliError } from './errors.ts';
import type { Host } from './host.ts';

/** The flags that stand on each command that makes requests. */
export interface ServiceFlags {
  baseUrl?: string | undefined;
  apiKeyFile?: string | undefined;
  apiKeyStdin?: boolean | undefined;
  apiKeyHeader?: string | undefined;
  local?: boolean | undefined;
  timeout?: string | undefined;
  retryTimeout?: string | undefined;
  insecureHttp?: boolean | undefined;
  debug?: boolean | undefined;
  target?: string | undefined;
}

/** Where requests go: to the embedded service in this process, or to a service by HTTP. */
export type Target = (
  | { kind: 'local'; dataFile: string }
  | { kind: 'remote'; service: RemoteService; keySource: KeySource }
) & {
  /** Time for all tries of one request, in milliseconds. */
  retryTimeoutMs: number;
};

/** Where the key came from: a file that a flag names, standard input, FORMULARY_API_KEY, or a kept profile. */
export type KeySource = 'flag' | 'stdin' | 'environment' | 'profile';

export interface RemoteService {
  /** Base address without a final slash. */
  baseUrl: URL;
  key: ApiKey;
  keyHeader: string;
  /** Time limit of one request with its body, in milliseconds. */
  timeoutMs: number;
  /** http:// to another machine, which --insecure-http allowed. */
  isUnencrypted: boolean;
}

const DEFAULT_TIMEOUT_S = 30;
const DEFAULT_RETRY_TIMEOUT_S = 120;
const MAX_TIMEOUT_S = 86_400;

/**
 * Resolves the target of a command, before any request.
 * Raises usage (2) for settings that are missing, wrong or at odds, denied (4) when there is no key.
 */
export async function resolveTarget(flags: ServiceFlags, host: Host): Promise<Target> {
  const profile = host.env['FORMULARY_PROFILE'];
  if (profile && profile !== 'local') {
    throw new CliError('usage', `FORMULARY_PROFILE is "${profile}"; the only profile is "local"`, {
      hint: 'give the address with --base-url or FORMULARY_BASE_URL, and the key in FORMULARY_API_KEY',
    });
  }
  if (flags.local && flags.baseUrl !== undefined) {
    throw new CliError('usage', '--local and --base-url exclude each other', { hint: 'leave one of them out' });
  }
  const timeoutMs =
    flags.timeout === undefined
      ? milliseconds(host.env['FORMULARY_TIMEOUT'], 'FORMULARY_TIMEOUT', DEFAULT_TIMEOUT_S)
      : milliseconds(flags.timeout, '--timeout', DEFAULT_TIMEOUT_S);
  const retryTimeoutMs = milliseconds(flags.retryTimeout, '--retry-timeout', DEFAULT_RETRY_TIMEOUT_S);
  if (flags.local || (profile === 'local' && flags.baseUrl === undefined)) {
    return { kind: 'local', dataFile: localDataFile(host), retryTimeoutMs };
  }
  const baseUrl = baseUrlOf(flags, host);
  const keyHeader = headerNameOf(flags.apiKeyHeader ?? host.env['FORMULARY_API_KEY_HEADER'] ?? 'SVC-API-KEY');
  const { key, keySource } = await keyOf(flags, host);
  return {
    kind: 'remote',
    keySource,
    service: { baseUrl, key, keyHeader, timeoutMs, isUnencrypted: isUnencrypted(baseUrl) },
    retryTimeoutMs,
  };
}

/** The data file of the embedded service: FORMULARY_LOCAL_DATA, else local.db in the user's data folder (XDG). */
export function localDataFile(host: Host): string {
  const given = host.env['FORMULARY_LOCAL_DATA'];
  if (given) return given;
  const xdg = host.env['XDG_DATA_HOME'];
  const data = xdg?.startsWith('/') ? xdg : host.home && join(host.home, '.local', 'share');
  if (data) return join(data, 'formulary', 'local.db');
  throw new CliError('usage', 'there is no HOME, so no place for the data of the embedded service', {
    hint: 'name a file with FORMULARY_LOCAL_DATA',
  });
}

/** A number of seconds as milliseconds; an empty one counts as not given. */
function milliseconds(text: string | undefined, from: string, otherwise: number): number {
  const seconds = text === undefined || text === '' ? otherwise : Number(text);
  if (seconds > 0 && seconds <= MAX_TIMEOUT_S) return Math.max(1, Math.round(seconds * 1000));
  throw new CliError(
    'usage',
    `${from} is "${text}"; wanted is a number of seconds, above 0 and at most ${MAX_TIMEOUT_S}`,
  );
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** A service as the lock and the history name it. */
export interface TargetName {
  name: string;
  /** Whether it may stand in a lock that others share; an unnamed service of this machine may not. */
  isShared: boolean;
}

/** The name of a target: --target, FORMULARY_TARGET, else its address, or the data file of the embedded service. */
export function targetNameOf(target: Target, flags: ServiceFlags, host: Host): TargetName {
  const given = flags.target || host.env['FORMULARY_TARGET'];
  if (given) return { name: given, isShared: true };
  if (target.kind === 'local') return { name: `local:${target.dataFile}`, isShared: false };
  const { baseUrl } = target.service;
  return { name: addressOf(baseUrl), isShared: !LOOPBACK.test(baseUrl.hostname) };
}

/** A base address without a final slash. */
export const addressOf = (baseUrl: URL): string => baseUrl.href.replace(/\/$/, '');

const isUnencrypted = (url: URL) => url.protocol === 'http:' && !LOOPBACK.test(url.hostname);

function baseUrlOf(flags: ServiceFlags, host: Host): URL {
  const [text, from] =
    flags.baseUrl !== undefined
      ? [flags.baseUrl, '--base-url']
      : [host.env['FORMULARY_BASE_URL'], 'FORMULARY_BASE_URL'];
  const example = 'for instance --base-url https://api.example.com';
  if (!text?.trim()) {
    throw new CliError('usage', 'no base address: which service is meant?', {
      hint: `give it with --base-url URL or FORMULARY_BASE_URL, ${example}; --local uses the embedded service`,
    });
  }
  const url = URL.parse(text.trim());
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new CliError('usage', `${from} is "${shownAddress(text)}"; wanted is an address with https://`, {
      hint: example,
    });
  }
  // The text, since a URL forgets a query or fragment that is empty.
  if (url.username || url.password || /[?#]/.test(text)) {
    throw new CliError(
      'usage',
      `${from} has ${url.username || url.password ? 'a user name or password' : 'a query or fragment'} in it; wanted is a bare address`,
      { hint: example },
    );
  }
  if (isUnencrypted(url) && !flags.insecureHttp) {
    throw new CliError('usage', `${from} is http:// on ${url.hostname}: the key would travel unencrypted`, {
      hint: 'use https://, or allow it with --insecure-http; http:// without that is for this machine only',
    });
  }
  url.pathname = url.pathname.replace(/\/+$/, '');
  return url;
}

/** What was typed as an address, without what may be secret in it: user and password, a query, or a key at the wrong place. */
function shownAddress(text: string): string {
  if (looksLikeKey(text)) return HIDDEN;
  return text.replace(/[?#].*$/s, '').replace(/^.*@/s, `${HIDDEN}@`);
}

/** Headers that direct HTTP itself, or that the tool sends with a meaning of their own. */
const RESERVED_HEADER =
  /^(host|connection|keep-alive|upgrade|expect|te|trailer|transfer-encoding|http2-settings|date|cookie|user-agent|content-.*|accept.*|proxy-.*)$/i;

/** A header's name as HTTP allows it (RFC 9110, token); not one that carries the request itself. */
export function headerNameOf(name: string): string {
  const wanted = 'wanted is a header name such as SVC-API-KEY';
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) {
    throw new CliError('usage', `the key header "${name}" is no header name; ${wanted}`);
  }
  if (!RESERVED_HEADER.test(name)) return name;
  throw new CliError('usage', `the key header cannot be "${name}", which has a meaning of its own in HTTP; ${wanted}`);
}

async function keyOf(flags: ServiceFlags, host: Host): Promise<{ key: ApiKey; keySource: KeySource }> {
  if (flags.apiKeyStdin && flags.apiKeyFile !== undefined) {
    throw new CliError('usage', '--api-key-stdin and --api-key-file exclude each other', {
      hint: 'leave one of them out',
    });
  }
  if (flags.apiKeyStdin) return { key: checkedKey(await host.readStdin(), 'standard input'), keySource: 'stdin' };
  if (flags.apiKeyFile !== undefined) {
    return { key: checkedKey(readKeyFile(flags.apiKeyFile), flags.apiKeyFile), keySource: 'flag' };
  }
  return { key: checkedKey(host.env['FORMULARY_API_KEY'] ?? '', 'FORMULARY_API_KEY'), keySource: 'environment' };
}

function readKeyFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isKey = looksLikeKey(file);
    throw new CliError(
      'usage',
      `--api-key-file${isKey ? '' : ` ${file}`} cannot be read (${code})${isKey ? '; its name is not shown, since it looks like a key' : ''}`,
      { hint: 'name a file that holds the key and nothing else' },
    );
  }
}

/** One long word of letters and digits that is no path with a start or an extension: a key rather than a name. */
function looksLikeKey(word: string): boolean {
  return /^[^\s./~][^\s:]{15,}$/.test(word) && /\d/.test(word) && /[a-z]/i.test(word) && !/\.[a-z]{1,5}$/i.test(word);
}

/** A key is what is left without the white space at its ends, and must be printable ASCII; it is never shown. */
function checkedKey(text: string, source: string): ApiKey {
  const value = text.trim();
  if (value === '') {
    throw new CliError('denied', `there is no API key${source === 'FORMULARY_API_KEY' ? '' : ` in ${source}`}`, {
      hint: 'set FORMULARY_API_KEY, or give --api-key-file FILE or --api-key-stdin',
    });
  }
  if (/^[\x21-\x7e]+( +[\x21-\x7e]+)*$/.test(value)) return new ApiKey(value, source);
  throw new CliError('usage', `the API key from ${source} has a line break or a character outside ASCII in it`, {
    hint: 'give the key alone, as the service printed it',
  });
}
