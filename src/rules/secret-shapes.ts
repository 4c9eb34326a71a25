/** The shapes of well-known keys and tokens. */
import { isDrawn, isSample } from './randomness.ts';

/** A likely secret: what it looks like, and where it stands. Its value goes nowhere. */
export interface Secret {
  what: string;
  start: number;
  end: number;
}

/** What a key looks like; where there is a group, it is the part that no sample has. */
const SHAPES: readonly [what: string, shape: RegExp][] = [
  ['an access key of AWS', /\b(?:AKIA|ASIA)([A-Z0-9]{16})\b/g],
  ['a token of GitHub', /\b(?:gh[pousr]_|github_pat_)(\w{30,255})\b/g],
  ['a token of GitLab', /\bglpat-([\w-]{20,64})/g],
  ['a token of Slack', /\bxox[abeprs]-([\w-]{10,250})/g],
  ['a webhook address of Slack', /\bhooks\.slack\.com\/services\/(T\w{6,20}\/B\w{6,20}\/\w{16,64})/g],
  ['a key of Stripe', /\b(?:sk|rk)_(?:live|test)_(\w{16,250})\b/g],
  ['a webhook secret of Stripe', /\bwhsec_([\w+/]{24,250})/g],
  ['a key of Google', /\bAIza([\w-]{35})(?![\w-])/g],
  ['a client secret of Google', /\bGOCSPX-([\w-]{20,64})/g],
  ['a key of SendGrid', /\bSG\.([\w-]{16,64}\.[\w-]{32,64})/g],
  ['a key of Twilio', /\bSK([0-9a-f]{32})\b/g],
  ['a token of npm', /\bnpm_(\w{36})\b/g],
  ['a token of Shopify', /\bshp(?:at|ca|pa|ss)_([0-9a-fA-F]{32})\b/g],
  ['a key of Mailgun', /\bkey-([0-9a-f]{32})\b/g],
  ['a storage key of Azure', /\bAccountKey=([A-Za-z0-9+/]{86}==)/g],
];

/** Shapes that words could have as well: only where their group is drawn. */
const LOOSE_SHAPES: readonly [what: string, shape: RegExp][] = [
  ['an API key', /\b(?:key|sk|pk|api|token)[_-](?:[a-z]{2,12}[_-]){0,8}([A-Za-z0-9]{22,200})(?!\w)/g],
  ['credentials in a header', /\b(?:Bearer|Basic) +([\w.~+/=-]{20,500})/g],
];

const PASSWORD: (typeof SHAPES)[number] = [
  'a password in an address',
  /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:@/'"`]{1,100}:([^\s@/'"`]{8,100})@/g,
];

/** With its beginning; code that only names the armour has none. */
const PRIVATE_KEY = /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----(?:\\[nr]|["'`+,\s])*([A-Za-z0-9+/=]{40,})/g;

const TOKEN_PARTS = /\beyJ[\w-]{10,1000}\.(eyJ[\w-]{10,4000})\.[\w-]{20,1000}/g;

/** Begins at the slashes: the shape of an address alone would be tried at every word of the text. */
const ADDRESS_WITH_PASSWORD = /:\/\/[^\s:@/'"`]{1,100}:[^\s@/'"`]{8,100}@/;

/** All that have a known shape, in order of the text. Linear in its length. */
export function knownSecrets(text: string): Secret[] {
  const found = [
    ...find(text, SHAPES, (part) => !isSample(part)),
    ...find(text, LOOSE_SHAPES, isDrawn),
    ...(ADDRESS_WITH_PASSWORD.test(text) ? find(text, [PASSWORD], isDrawn) : []),
    ...find(text, [['a private key', PRIVATE_KEY]], (part) => new Set(part).size > 12),
    ...find(text, [['a signed token (JWT)', TOKEN_PARTS]], (payload) => !isSampleToken(payload)),
  ];
  return found.sort((a, b) => a.start - b.start);
}

function find(text: string, shapes: typeof SHAPES, isReal: (part: string) => boolean): Secret[] {
  // To look for all of a shape copies it first, and hardly any text has even one.
  const seen = shapes.filter(([, shape]) => text.search(shape) >= 0);
  return seen.flatMap(([what, shape]) =>
    [...text.matchAll(shape)]
      .filter(([whole, part]) => isReal(part ?? whole))
      .map(({ index, 0: whole }) => ({ what, start: index, end: index + whole.length })),
  );
}

/** The token that manuals show, and others about nobody. */
const isSampleToken = (payload: string) =>
  /1234567890|John Doe|example|test/i.test(Buffer.from(payload, 'base64url').toString('latin1'));
