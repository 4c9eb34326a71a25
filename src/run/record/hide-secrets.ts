/** Replaces configuration values, and members called like a secret, in what a recording stores. Pure. */

/** Texts to replace, longest first, by what takes their place. */
export type Replacements = readonly (readonly [secret: string, placeholder: string])[];

/** Shorter values occur by chance. */
const SHORTEST = 8;

const SECRET_WORDS = new Set(
  'secret password passwd pwd passphrase token authorization auth credential credentials apikey signature cookie bearer jwt otp cvc cvv cvv2 pin session'.split(
    ' ',
  ),
);
const SECRET_PAIRS = ['api key', 'access key', 'private key', 'secret key', 'client key', 'security code'];

/** Whether a member's name says that its value is a secret. */
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
 * The replacements of a recording: each configuration value, and each string of a member called like a secret, becomes
 * `<NAME>`. A URL, or a part of a host, becomes one that can still be parsed.
 */
export function findSecrets(configuration: object, values: unknown, requests: readonly string[]): Replacements {
  const hosts = requests.map((request) => /^\S+ https?:\/\/([^/?#]*)/.exec(request)?.[1] ?? '');
  const found = new Map<string, string>();
  const add = (name: string, secret: string) => {
    if (secret.length < SHORTEST || found.has(secret)) return;
    const placeholder = placeholderOf(name, secret, hosts);
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

function placeholderOf(name: string, secret: string, hosts: readonly string[]): string {
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

/** A value without secrets. Of members called like a secret, strings become `<name>`, numbers are left out. */
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

/** A value without the members that are called like a secret. */
export function omitSecretMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(omitSecretMembers);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([name, member]) => typeof member === 'object' || !isSecretName(name));
  return Object.fromEntries(kept.map(([name, member]) => [name, omitSecretMembers(member)]));
}

function hideInText(text: string, replacements: Replacements): string {
  return replacements.reduce((hidden, [secret, placeholder]) => hidden.replaceAll(secret, placeholder), text);
}

/** Method and URL, in whose query the values of members called like a secret are `*`. */
export function hideInRequest(request: string, replacements: Replacements): string {
  const hidden = request.replace(/([?&])([^=&#]+)=([^&#]*)/g, (all, mark: string, name: string) =>
    isSecretName(decoded(name)) ? `${mark}${name}=*` : all,
  );
  return hideInText(hidden, replacements);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
