/** Replaces secrets in a recording: configuration values, and members with a secret name. Pure. */

/** Secrets, longest first, with their placeholders. */
export type Replacements = readonly (readonly [secret: string, placeholder: string])[];

/** Shorter values occur by chance. */
const MIN_LENGTH = 8;

const SECRET_WORDS = new Set(
  'secret password passwd pwd passphrase token authorization auth credential credentials apikey signature cookie bearer jwt otp cvc cvv cvv2 pin session'.split(
    ' ',
  ),
);
const SECRET_PAIRS = ['api key', 'access key', 'private key', 'secret key', 'client key', 'security code'];

/** Whether a member with this name is likely a secret. */
export function isSecretName(name: string): boolean {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
  const text = words.join(' ');
  return words.some((word) => SECRET_WORDS.has(word)) || SECRET_PAIRS.some((pair) => ` ${text} `.includes(` ${pair} `));
}

/**
 * Finds configuration values, and strings of members with a secret name; each becomes `<NAME>`. The placeholder of a URL, or
 * of a part of a host, is one that can be parsed.
 */
export function findSecrets(configuration: object, values: unknown, requests: readonly string[]): Replacements {
  const hosts = requests.map((request) => /^\S+ https?:\/\/([^/?#]*)/.exec(request)?.[1] ?? '');
  const found = new Map<string, string>();
  const add = (name: string, secret: string) => {
    if (secret.length < MIN_LENGTH || found.has(secret)) return;
    const placeholder = createPlaceholder(name, secret, hosts);
    found.set(secret, placeholder);
    for (const encode of [encodeURIComponent, toBase64])
      if (!found.has(encode(secret)))
        found.set(encode(secret), encode === toBase64 ? placeholder : encodeURIComponent(placeholder));
  };
  for (const [name, value] of Object.entries(configuration)) if (typeof value === 'string') add(name, value);
  visitSecretMembers(values, add);
  return [...found].sort(([a], [b]) => b.length - a.length);
}

const toBase64 = (text: string) => Buffer.from(text).toString('base64');

function createPlaceholder(name: string, secret: string, hosts: readonly string[]): string {
  const safeName =
    name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '') || 'value';
  const [, scheme] = /^(https?):\/\/\S+$/.exec(secret) ?? [];
  if (scheme) return `${scheme}://${safeName}.example${secret.endsWith('/') ? '/' : ''}`;
  return hosts.some((host) => host.includes(secret)) ? safeName : `<${name}>`;
}

function visitSecretMembers(value: unknown, add: (name: string, secret: string) => void): void {
  if (Array.isArray(value)) for (const item of value) visitSecretMembers(item, add);
  else if (typeof value === 'object' && value !== null)
    for (const [name, member] of Object.entries(value)) {
      if (typeof member === 'string' && isSecretName(name)) add(name, member);
      visitSecretMembers(member, add);
    }
}

/** Replaces secrets in a value. In members with a secret name, strings become `<name>`, and numbers are removed. */
export function hideSecrets(value: unknown, replacements: Replacements): unknown {
  if (typeof value === 'string') return hideInText(value, replacements);
  if (Array.isArray(value)) return value.map((item) => hideSecrets(item, replacements));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      if (isSecretName(name) && typeof member === 'number') return [];
      const key = hideInText(name, replacements);
      if (isSecretName(name) && typeof member === 'string') {
        const hidden = hideInText(member, replacements);
        return [[key, hidden === member && member !== '' ? `<${name}>` : hidden]];
      }
      return [[key, hideSecrets(member, replacements)]];
    }),
  );
}

/** Removes members with a secret name. */
export function omitSecretMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(omitSecretMembers);
  if (typeof value !== 'object' || value === null) return value;
  const others = Object.entries(value).filter(([name, member]) => typeof member === 'object' || !isSecretName(name));
  return Object.fromEntries(others.map(([name, member]) => [name, omitSecretMembers(member)]));
}

function hideInText(text: string, replacements: Replacements): string {
  return replacements.reduce((hidden, [secret, placeholder]) => hidden.replaceAll(secret, placeholder), text);
}

/** Method and URL; query parameters with a secret name become `*`. */
export function hideInRequest(request: string, replacements: Replacements): string {
  const hidden = request.replace(/([?&])([^=&#]+)=([^&#]*)/g, (all, mark: string, name: string) =>
    isSecretName(decode(name)) ? `${mark}${name}=*` : all,
  );
  return hideInText(hidden, replacements);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
