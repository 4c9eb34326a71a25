/** Patterns of well-known keys and tokens. */
import { isSample, looksRandom } from './entropy.ts';

/** A likely secret: its kind and offsets, never its value. */
export interface Secret {
  what: string;
  start: number;
  end: number;
}

/** The pattern of a key; a group is the part that differs from samples. */
interface SecretPattern {
  what: string;
  /** Every match contains one of these; a search for them is much faster than the pattern. */
  prefilters: readonly string[];
  pattern: RegExp;
}

const createPattern = (what: string, prefilters: string, pattern: RegExp): SecretPattern => ({
  what,
  prefilters: prefilters.split(' '),
  pattern,
});

const PATTERNS: readonly SecretPattern[] = [
  createPattern('an AWS access key', 'AKIA ASIA', /\b(?:AKIA|ASIA)([A-Z0-9]{16})\b/g),
  createPattern(
    'a GitHub token',
    'ghp_ gho_ ghu_ ghs_ ghr_ github_pat_',
    /\b(?:gh[pousr]_|github_pat_)(\w{30,255})\b/g,
  ),
  createPattern('a GitLab token', 'glpat-', /\bglpat-([\w-]{20,64})/g),
  createPattern('a Slack token', 'xox', /\bxox[abeprs]-([\w-]{10,250})/g),
  createPattern(
    'a Slack webhook URL',
    'hooks.slack.com/services/',
    /\bhooks\.slack\.com\/services\/(T\w{6,20}\/B\w{6,20}\/\w{16,64})/g,
  ),
  createPattern('a Stripe key', 'k_live_ k_test_', /\b(?:sk|rk)_(?:live|test)_(\w{16,250})\b/g),
  createPattern('a Stripe webhook secret', 'whsec_', /\bwhsec_([\w+/]{24,250})/g),
  createPattern('a Google API key', 'AIza', /\bAIza([\w-]{35})(?![\w-])/g),
  createPattern('a Google client secret', 'GOCSPX-', /\bGOCSPX-([\w-]{20,64})/g),
  createPattern('a SendGrid key', 'SG.', /\bSG\.([\w-]{16,64}\.[\w-]{32,64})/g),
  createPattern('a Twilio key', 'SK', /\bSK([0-9a-f]{32})\b/g),
  createPattern('an npm token', 'npm_', /\bnpm_(\w{36})\b/g),
  createPattern('a Shopify token', 'shpat_ shpca_ shppa_ shpss_', /\bshp(?:at|ca|pa|ss)_([0-9a-fA-F]{32})\b/g),
  createPattern('a Mailgun key', 'key-', /\bkey-([0-9a-f]{32})\b/g),
  createPattern('an Azure storage key', 'AccountKey=', /\bAccountKey=([A-Za-z0-9+/]{86}==)/g),
];

/** Patterns that words can match too: the group must be random. */
const LOOSE_PATTERNS: readonly SecretPattern[] = [
  createPattern(
    'an API key',
    'key_ key- sk_ sk- pk_ pk- api_ api- token_ token-',
    /\b(?:key|sk|pk|api|token)[_-](?:[a-z]{2,12}[_-]){0,8}([A-Za-z0-9]{22,200})(?!\w)/g,
  ),
  createPattern('credentials in a header', 'Bearer Basic', /\b(?:Bearer|Basic) +([\w.~+/=-]{20,500})/g),
];

const PASSWORD = createPattern(
  'a password in a URL',
  '://',
  /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:@/'"`]{1,100}:([^\s@/'"`]{8,100})@/g,
);

/** With the start of the key, because code may contain only the PEM header. */
const PRIVATE_KEY = createPattern(
  'a private key',
  '-----BEGIN',
  /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----(?:\\[nr]|["'`+,\s])*([A-Za-z0-9+/=]{40,})/g,
);

const SIGNED_TOKEN = createPattern(
  'a signed token (JWT)',
  'eyJ',
  /\beyJ[\w-]{10,1000}\.(eyJ[\w-]{10,4000})\.[\w-]{20,1000}/g,
);

/** Starts at the slashes, because a pattern for complete URLs would be tried at every word. */
const URL_WITH_PASSWORD = /:\/\/[^\s:@/'"`]{1,100}:[^\s@/'"`]{8,100}@/;

/** All matches of known patterns, in order. Linear in the length of the text. */
export function findKnownSecrets(text: string): Secret[] {
  const found = [
    ...findMatches(text, PATTERNS, (part) => !isSample(part)),
    ...findMatches(text, LOOSE_PATTERNS, looksRandom),
    ...(text.includes('://') && URL_WITH_PASSWORD.test(text) ? findMatches(text, [PASSWORD], looksRandom) : []),
    ...findMatches(text, [PRIVATE_KEY], (part) => new Set(part).size > 12),
    ...findMatches(text, [SIGNED_TOKEN], (payload) => !isSampleToken(payload)),
  ];
  return found.sort((a, b) => a.start - b.start);
}

function findMatches(text: string, patterns: readonly SecretPattern[], isReal: (part: string) => boolean): Secret[] {
  const possible = patterns.filter(({ prefilters }) => prefilters.some((mark) => text.includes(mark)));
  // `matchAll` copies the pattern, and hardly any text has a match.
  const matching = possible.filter(({ pattern }) => text.search(pattern) >= 0);
  return matching.flatMap(({ what, pattern }) =>
    [...text.matchAll(pattern)]
      .filter(([whole, part]) => isReal(part ?? whole))
      .map(({ index, 0: whole }) => ({ what, start: index, end: index + whole.length })),
  );
}

/** Sample tokens from documentation. */
const isSampleToken = (payload: string) =>
  /1234567890|John Doe|example|test/i.test(Buffer.from(payload, 'base64url').toString('latin1'));
