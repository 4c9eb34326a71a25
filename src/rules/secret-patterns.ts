/** Patterns of well-known keys and tokens. */
import { isUuid } from '../text/uuid.ts';

/** A likely secret: its kind and offsets, never its value. */
export interface Secret {
  what: string;
  start: number;
  end: number;
}

/** The pattern of a key, whose group is the part that differs from samples; `mark` is a text that each match contains. */
type SecretPattern = readonly [what: string, pattern: RegExp, mark: string];

const PATTERNS: readonly SecretPattern[] = [
  ['an AWS access key', /\b(?:AKIA|ASIA)([A-Z0-9]{16})\b/g, 'IA'],
  ['a GitHub token', /\b(?:gh[pousr]_|github_pat_)(\w{30,255})\b/g, '_'],
  ['a GitLab token', /\bglpat-([\w-]{20,64})/g, 'glpat-'],
  ['a Slack token', /\bxox[abeprs]-([\w-]{10,250})/g, 'xox'],
  ['a Slack webhook URL', /\bhooks\.slack\.com\/services\/(T\w{6,20}\/B\w{6,20}\/\w{16,64})/g, 'hooks.slack.com'],
  ['a Stripe key', /\b(?:sk|rk)_(?:live|test)_(\w{16,250})\b/g, 'k_'],
  ['a Stripe webhook secret', /\bwhsec_([\w+/]{24,250})/g, 'whsec_'],
  ['a Google API key', /\bAIza([\w-]{35})(?![\w-])/g, 'AIza'],
  ['a Google client secret', /\bGOCSPX-([\w-]{20,64})/g, 'GOCSPX-'],
  ['a SendGrid key', /\bSG\.([\w-]{16,64}\.[\w-]{32,64})/g, 'SG.'],
  ['a Twilio key', /\bSK([0-9a-f]{32})\b/g, 'SK'],
  ['an npm token', /\bnpm_(\w{36})\b/g, 'npm_'],
  ['a Shopify token', /\bshp(?:at|ca|pa|ss)_([0-9a-fA-F]{32})\b/g, 'shp'],
  ['a Mailgun key', /\bkey-([0-9a-f]{32})\b/g, 'key-'],
  ['an Azure storage key', /\bAccountKey=([A-Za-z0-9+/]{86}==)/g, 'AccountKey='],
];

/** Patterns that words can match too: the group must be random. */
const LOOSE_PATTERNS: readonly SecretPattern[] = [
  ['an API key', /\b(?:key|sk|pk|api|token)[_-](?:[a-z]{2,12}[_-]){0,8}([A-Za-z0-9]{22,200})(?!\w)/g, ''],
  ['credentials in a header', /\bBearer +([\w.~+/=-]{20,500})/g, 'Bearer '],
  ['credentials in a header', /\bBasic +([\w.~+/=-]{20,500})/g, 'Basic '],
];

const PASSWORD: SecretPattern = [
  'a password in a URL',
  /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:@/'"`]{1,100}:([^\s@/'"`]{8,100})@/g,
  '://',
];

/** With the start of the key, because code may contain only the PEM header. */
const PRIVATE_KEY: SecretPattern = [
  'a private key',
  /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----(?:\\[nr]|["'`+,\s])*([A-Za-z0-9+/=]{40,})/g,
  'PRIVATE KEY-----',
];

const SIGNED_TOKEN: SecretPattern = [
  'a signed token (JWT)',
  /\beyJ[\w-]{10,1000}\.(eyJ[\w-]{10,4000})\.[\w-]{20,1000}/g,
  'eyJ',
];

/** All matches of known patterns, in order. Linear in the length of the text. */
export function findKnownSecrets(text: string): Secret[] {
  const found = [
    ...findMatches(text, PATTERNS, (part) => !isSample(part)),
    ...findMatches(text, LOOSE_PATTERNS, (part) => looksRandom(part) && !hasPlaceholder(part)),
    ...findMatches(text, [PASSWORD], looksRandom),
    ...findMatches(text, [PRIVATE_KEY], (part) => new Set(part).size > 12),
    ...findMatches(text, [SIGNED_TOKEN], (payload) => !isSampleToken(payload)),
  ];
  return found.sort((a, b) => a.start - b.start);
}

function findMatches(text: string, patterns: readonly SecretPattern[], isReal: (part: string) => boolean): Secret[] {
  // `matchAll` copies the pattern, and hardly any text has a match.
  const matching = patterns.filter(([, pattern, mark]) => text.includes(mark) && text.search(pattern) >= 0);
  return matching.flatMap(([what, pattern]) =>
    [...text.matchAll(pattern)]
      .filter(([match, part]) => isReal(part ?? match))
      .map(({ index, 0: match }) => ({ what, start: index, end: index + match.length })),
  );
}

/** Sample tokens from documentation. */
const isSampleToken = (payload: string) =>
  /1234567890|John Doe|example|test/i.test(Buffer.from(payload, 'base64url').toString('latin1'));

/** Samples and placeholders, anywhere in a string. */
const SAMPLE =
  /example|sample|test|dummy|fake|mock|placeholder|your|change.?me|insert|replace|redacted|todo|secret|password|foobar|lorem|xxxx|\.\.\.|<|\$\{|\{\{|\*\*/i;

/** Whether a string is a placeholder for a key. */
const isSample = (text: string): boolean =>
  SAMPLE.test(text) || hasRun(text) || new Set(text).size < Math.min(8, text.length);

/** Whether Basic credentials were encoded from a placeholder, as in a recorded test. */
const hasPlaceholder = (text: string) => /<\w[^<>]*>/.test(Buffer.from(text, 'base64').toString('latin1'));

/** `12345`, `abcdef`, `aaaa`: sequences that are not random. */
function hasRun(text: string): boolean {
  let same = 1;
  let rising = 1;
  for (let i = 1; i < text.length; i++) {
    const step = text.charCodeAt(i) - text.charCodeAt(i - 1);
    same = step === 0 ? same + 1 : 1;
    rising = step === 1 ? rising + 1 : 1;
    if (same >= 5 || rising >= 5) return true;
  }
  return false;
}

/** Bits per character: about 4 for 32 hexadecimal digits, 3 or less for words. */
function measureEntropy(text: string): number {
  const counts = new Map<string, number>();
  for (const letter of text) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

/** How often the character class changes (lower case, upper case, digit); a capitalized word does not count. */
function measureClassChanges(text: string): number {
  const letters = text.replace(/[^A-Za-z0-9]/g, '');
  const found = letters.match(/[a-z](?=[A-Z])|[A-Za-z](?=\d)|\d(?=[A-Za-z])/g) ?? [];
  return found.length / Math.max(1, letters.length);
}

const TOKEN = /^[A-Za-z0-9+/_.~=-]+$/;

/** Shorter strings never count as random. */
const MIN_RANDOM_LENGTH = 16;

/** Whether a value assigned to a name such as `apiKey` looks random. */
export const looksRandom = (text: string): boolean =>
  text.length >= MIN_RANDOM_LENGTH &&
  text.length <= 500 &&
  TOKEN.test(text) &&
  !isUuid(text) &&
  !isSample(text) &&
  measureClassChanges(text) >= 0.2 &&
  measureEntropy(text) >= 3;

/** Whether a value is certainly random under any name: long, with digits and letters of both cases. */
export const isHighEntropy = (text: string): boolean =>
  /^[A-Za-z0-9+/_-]{32,128}={0,2}$/.test(text) &&
  /[a-z]/.test(text) &&
  /[A-Z]/.test(text) &&
  /\d/.test(text) &&
  !isSample(text) &&
  !isEncoded(text) &&
  measureClassChanges(text) >= 0.3 &&
  measureEntropy(text) >= 4.2;

/** Base64 of an image, a DER certificate or key, a web font, or plain text. */
function isEncoded(text: string): boolean {
  if (
    /^(iVBORw0KGgo|\/9j\/|R0lGOD|UklGR|PHN2Zy|AAAAB3NzaC1|MI[IGHC]|sha\d{3}-|d09GM|AAEAAAA|H4sI|UEsDB|JVBERi0)/.test(
      text,
    )
  )
    return true;
  const bytes = Buffer.from(text, 'base64');
  const plain = bytes.filter((byte) => byte === 9 || byte === 10 || byte === 13 || (byte >= 32 && byte < 127));
  return plain.length > bytes.length * 0.9;
}
