/** Replaces secrets in a recording by placeholders, the same ones in all its parts. Pure. */
import { attempt } from '../../errors.ts';
import { isSecretName } from '../../text/secret-names.ts';
import { decodeParameter } from '../doubles/match-request.ts';
import { isHidden, toSecretPattern } from './secret-pattern.ts';

/** Shorter values occur by chance. */
const MIN_SETTING_LENGTH = 8;
const MIN_LENGTH = 6;

interface Replacement {
  secret: string;
  isHost: boolean;
  pattern: RegExp;
  placeholder: string;
}

/**
 * Secrets are the values of the configuration, and strings of `values` with a secret name: of members, parameters, elements,
 * or cookies, also within strings.
 */
export function createRedactor(configuration: object, values: unknown, requests: readonly string[]) {
  const { secrets, exact, hosts } = collectSecrets(configuration, values, requests);
  const replacements = [...secrets]
    .sort(([a], [b]) => b.length - a.length)
    .map(([secret, placeholder]) => ({
      secret,
      // The host with another port is another server.
      pattern: hosts.has(secret)
        ? new RegExp(`(?:${toSecretPattern(secret).source})(?!:\\d)`, 'g')
        : toSecretPattern(secret),
      placeholder,
      isHost: hosts.has(secret),
    }));
  const redactText = (text: string) => exact.get(text) ?? redactString(text, replacements);
  /** A value: its strings, keys, and the numbers of members with a secret name. */
  const redact = (value: unknown): unknown => {
    if (typeof value === 'string') return redactText(value);
    if (Array.isArray(value)) return value.map(redact);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [
        redactString(name, replacements),
        isSecretName(name) ? redactMember(name, member, redact) : redact(member),
      ]),
    );
  };
  return { redact, redactRequest: (request: string) => redactRequest(request, replacements) };
}

/** The secrets with their placeholders; `exact` has those that are too short to be replaced in other strings. */
function collectSecrets(configuration: object, values: unknown, requests: readonly string[]) {
  const secrets = new Map<string, string>();
  const exact = new Map<string, string>();
  const hosts = new Set<string>();
  const used = new Set<string>();
  const createName = (name: string): string => {
    for (let i = 1; ; i += 1) {
      const candidate = i === 1 ? name : `${name}-${i}`;
      if (!used.has(candidate)) return used.add(candidate) && candidate;
    }
  };
  const requestHosts = requests.map((request) => /^\S+ https?:\/\/([^/?#]*)/.exec(request)?.[1] ?? '');
  const addShort = (name: string, secret: string) => exact.has(secret) || exact.set(secret, `<${name}>`);
  const addLong = (name: string, secret: string) => {
    if (secrets.has(secret)) return;
    for (const [value, placeholder] of createPlaceholders(createName(name), secret, requestHosts)) {
      if (!secrets.has(value)) secrets.set(value, placeholder);
      if (parseUrl(secret)?.hostname === value) hosts.add(value);
    }
  };
  const add = (name: string, text: string, minLength: number) => {
    const secret = text.trim().replace(/^(?:bearer|basic|token)\s+/i, '');
    if (secret.length >= minLength) addLong(name, secret);
    else if (secret !== '' && minLength === MIN_LENGTH) addShort(name, secret);
  };
  for (const [name, value] of Object.entries(configuration))
    if (typeof value === 'string') {
      add(name, value, isSecretName(name) ? MIN_LENGTH : MIN_SETTING_LENGTH);
      add(name, decodeParameter(parseUrl(value)?.password ?? ''), MIN_LENGTH);
    }
  visitSecrets([Object.values(configuration), values], (name, value) => add(name, value, MIN_LENGTH));
  return { secrets, exact, hosts };
}

/** The placeholder of a URL, or of a part of a host, is one that can be parsed. A URL's host is a secret too. */
function createPlaceholders(name: string, secret: string, hosts: readonly string[]): [string, string][] {
  const safeName =
    name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '') || 'value';
  const url = /^https?:\/\/\S+$/.test(secret) ? parseUrl(secret) : undefined;
  if (!url) return [[secret, hosts.some((host) => host.includes(secret)) ? safeName : `<${name}>`]];
  const origin = `${url.protocol}//${safeName}.example`;
  return [
    [secret, `${origin}${secret.endsWith('/') ? '/' : ''}`],
    [url.origin, origin],
    [
      `${url.hostname}:${url.port || (url.protocol === 'https:' ? 443 : 80)}`,
      `${safeName}.example:${url.protocol === 'https:' ? 443 : 80}`,
    ],
    [url.hostname, `${safeName}.example`],
  ];
}

const parseUrl = (text: string): URL | undefined => attempt(() => new URL(text));

type AddSecret = (name: string, value: string) => void;

function visitSecrets(value: unknown, add: AddSecret): void {
  if (typeof value === 'string') visitText(value, add);
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    if (/^set-cookie$/i.test(name)) for (const cookie of [member].flat()) visitCookie(String(cookie), add);
    else if (isSecretName(name)) for (const item of [member].flat()) addString(name, item, add);
    visitSecrets(member, add);
  }
}

function addString(name: string, value: unknown, add: AddSecret): void {
  if (typeof value === 'string') add(name, value);
}

function visitCookie(cookie: string, add: AddSecret): void {
  const [, name = '', value = ''] = /^([^=;]+)=([^;]*)/.exec(cookie) ?? [];
  add(name.trim(), value);
}

const PARAMETER = /(?:^|[?&;,\s"'#])([\w.[\]-]+)=(?:\\*(["'])(.*?)\\*\2|([^&;,\s"'<>#]+))/g;
const MEMBER = /\\*"([^"\\]{1,100})\\*"\s*:\s*(?:\[([^\]]*)\]|\\*"((?:[^"\\]|\\+[^"\\]|\\\\)*)\\*")/g;
const ELEMENT = /<([\w:.-]+)(?:\s[^<>]*)?>([^<>]+)<\/\1>/g;
const HEADER = /^([\w-]+):[ \t]*(\S.*)$/gm;

/** The secrets of parameters, JSON members, XML elements, and headers in a string. */
function visitText(text: string, add: AddSecret): void {
  const addNamed = (name = '', value = '') => {
    if (isSecretName(name)) for (const form of new Set([value, decodeParameter(value)])) add(name, form);
  };
  for (const [, name, , quoted, value] of text.matchAll(PARAMETER))
    addNamed(decodeParameter(name ?? ''), quoted ?? value);
  for (const [, name, value] of text.matchAll(ELEMENT)) addNamed(name, value);
  for (const [, name, value] of text.matchAll(HEADER)) addNamed(name, value);
  for (const [, name, list, value] of text.matchAll(MEMBER)) {
    if (list === undefined) addNamed(name, value);
    else for (const [, item] of list.matchAll(/"((?:[^"\\]|\\.)*)"/g)) addNamed(name, item);
  }
}

/** Strings that are not a known secret become `<name>`; numbers become one of as many digits. */
function redactMember(name: string, member: unknown, redact: (value: unknown) => unknown): unknown {
  if (Array.isArray(member)) return member.map((item) => redactMember(name, item, redact));
  if (typeof member === 'number') return 10 ** Math.floor(Math.log10(Math.max(1, Math.abs(member))));
  if (typeof member !== 'string' || member === '') return redact(member);
  const redacted = redact(member);
  return redacted === member ? `<${name}>` : redacted;
}

const MAX_NESTING = 3;

function redactString(text: string, replacements: readonly Replacement[], nesting = 0): string {
  const withoutEncoded = nesting < MAX_NESTING ? redactBase64(text, replacements, nesting) : text;
  const redacted = replaceAll(withoutEncoded, replacements);
  if (nesting > 0) return redacted;
  return replacements.find(({ secret, isHost }) => !isHost && isHidden(secret, redacted))?.placeholder ?? redacted;
}

const replaceAll = (text: string, replacements: readonly Replacement[]): string =>
  replacements.reduce((redacted, { secret, pattern, placeholder }) => {
    const [digits, others] = [secret, placeholder].map((one) => Buffer.from(one).toString('hex')) as [string, string];
    return redacted
      .replace(pattern, () => placeholder)
      .replaceAll(digits, others)
      .replaceAll(digits.toUpperCase(), others.toUpperCase());
  }, text);

/** Encodes the placeholder in place of the secret, so that Basic credentials stay decodable. */
function redactBase64(text: string, replacements: readonly Replacement[], nesting: number): string {
  return text.replace(/[A-Za-z0-9+/_-]{8,}={0,2}/g, (word) => {
    const decoded = Buffer.from(word, 'base64').toString('latin1');
    const redacted = redactString(decoded, replacements, nesting + 1);
    if (redacted === decoded) return word;
    return Buffer.from(redacted, 'latin1').toString(/[-_]/.test(word) ? 'base64url' : 'base64');
  });
}

/** Method and URL; parameters with a secret name become `*`. */
function redactRequest(request: string, replacements: readonly Replacement[]): string {
  const withoutSecrets = request.replace(/([?&])([^=&#]+)=([^&#]*)/g, (all, mark: string, name: string) =>
    isSecretName(decodeParameter(name)) ? `${mark}${name}=*` : all,
  );
  const encoded = replacements.map(({ placeholder, ...others }) => ({
    ...others,
    placeholder: placeholder.startsWith('<') ? encodeURIComponent(placeholder) : placeholder,
  }));
  return redactString(replaceAll(withoutSecrets, encoded), encoded);
}

/** Removes members with a secret name. */
export function omitSecretMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(omitSecretMembers);
  if (typeof value !== 'object' || value === null) return value;
  const others = Object.entries(value).filter(([name]) => !isSecretName(name));
  return Object.fromEntries(others.map(([name, member]) => [name, omitSecretMembers(member)]));
}
