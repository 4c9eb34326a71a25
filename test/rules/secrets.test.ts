/** Likely secrets, drawn here by a generator with a seed, and the many texts that look like one and are none. */
import { describe, expect, it } from 'vitest';
import { checkFormula } from '../../src/check/check-folder.ts';
import { readFolder } from '../../src/folder/read.ts';
import { cardFiles, folderWith } from '../helpers/folders.ts';
import { run } from '../helpers/test-host.ts';

const SMALL = 'abcdefghijklmnopqrstuvwxyz';
const DIGITS = '0123456789';
const BASE62 = `${SMALL}${SMALL.toUpperCase()}${DIGITS}`;
const HEX = `${DIGITS}abcdef`;

/** A text of random letters; the same for the same seed. */
function drawn(length: number, letters = BASE62, seed = 7): string {
  let state = seed * 2654435761;
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return letters[Math.floor((state / 2 ** 32) * letters.length)];
  }).join('');
}

const PEM = `-----BEGIN PRIVATE KEY-----\\n${drawn(64, `${BASE62}+/`)}\\n-----END PRIVATE KEY-----`;
const PAYLOAD = Buffer.from(JSON.stringify({ sub: drawn(12) })).toString('base64url');

const checked = (line: string) =>
  checkFormula(
    readFolder(folderWith(cardFiles({}, { 'code.js': `${line}\nmodule.exports = async (req) => f(req);\n` }))),
  );
const findings = async (line: string) =>
  (await checked(line)).findings.map(
    ({ file, line: at, column, level, rule }) => `${file}:${at}:${column} ${level} ${rule}`,
  );

const SECRETS: [string, string, number][] = [
  ['an AWS access key', `const id = 'AKIA${drawn(16, `${SMALL.toUpperCase()}234567`)}';`, 13],
  ['a GitHub token', `f('ghp_${drawn(36)}');`, 4],
  ['a GitLab token', `f('glpat-${drawn(20)}');`, 4],
  ['a Slack token', `f('xoxb-${drawn(12, DIGITS)}-${drawn(24)}');`, 4],
  ['a webhook of Slack', `f('https://hooks.slack.com/services/T${drawn(8)}/B${drawn(8)}/${drawn(24)}');`, 12],
  ['a live key of Stripe', `f('sk_live_${drawn(24)}');`, 4],
  ['a test key of Stripe', `f('sk_test_${drawn(24)}');`, 4],
  ['a Google API key', `f('AIza${drawn(35)}');`, 4],
  ['a SendGrid key', `f('SG.${drawn(22)}.${drawn(43)}');`, 4],
  ['an npm token', `f('npm_${drawn(36)}');`, 4],
  ['a private key', `f('${PEM}');`, 4],
  ['a private key in a template', `f(\`${PEM.replaceAll('\\n', '\n')}\`);`, 4],
  ['a signed token', `f('eyJhbGciOiJIUzI1NiJ9.${PAYLOAD}.${drawn(43)}');`, 4],
  ['an API key', `f('key_${drawn(32)}');`, 4],
  ['a key of an AI service', `f('sk-proj-${drawn(48)}');`, 4],
  ['credentials in a header', `f({ Authorization: 'Bearer ${drawn(40)}' });`, 21],
  ['a password in a URL', `f('postgres://app:${drawn(16)}@db.internal/cards');`, 4],
  ['a key in a comment', `// old: sk_live_${drawn(24)}`, 9],
  ['a drawn text in a variable for it', `const apiKey = '${drawn(32, HEX)}';`, 17],
  ['a drawn text in a property for it', `f({ client_secret: '${drawn(24, SMALL + DIGITS)}' });`, 21],
  ['a drawn text as a default', `const token = process.env.TOKEN || '${drawn(24)}';`, 37],
  ['a drawn text behind the name of a header', `headers.set('X-Api-Key', '${drawn(32)}');`, 27],
  ['a drawn text that is long', `f('${drawn(44)}');`, 4],
];

const HARMLESS: [string, string][] = [
  [
    'placeholders',
    "const apiKey = 'your-api-key-goes-right-here-1234'; const secret = 'xxxxxxxxxxxxxxxxxxxxxxxx'; const token = '<token from the dashboard>';",
  ],
  [
    'samples of a known shape',
    "f('AKIAIOSFODNN7EXAMPLE', 'sk_test_your_key_goes_here', 'ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx', 'sk_live_1234567890123456');",
  ],
  ['the beginning of a kind of key', "if (key.startsWith('sk_live_') || /^AKIA[A-Z0-9]{16}$/.test(key)) f('Bearer ');"],
  [
    'a header that is put together',
    `f({ Authorization: \`Bearer \${configuration.API_KEY}\`, basic: "Basic " + Buffer.from(x).toString("base64") });`,
  ],
  ['credentials of placeholders', `f('Basic ${Buffer.from('<ACCOUNT_ID>:<MASTER_KEY>').toString('base64')}');`],
  ['the armour of a key', "f('-----BEGIN PRIVATE KEY-----\\n' + body + '\\n-----END PRIVATE KEY-----');"],
  ['a public key', `f('-----BEGIN PUBLIC KEY-----\\n${drawn(64)}\\n-----END PUBLIC KEY-----');`],
  [
    'a certificate',
    `f('-----BEGIN CERTIFICATE-----\\n${drawn(64)}\\n-----END CERTIFICATE-----'); const publicKey = '${drawn(64)}';`,
  ],
  ['a public key of Stripe in a name for it', `const publishable = 'pk_live';`],
  [
    'names of settings',
    "const secretName = 'projects/cards/secrets/stripe-key/versions/12'; const API_KEY_SETTING = 'PAYMENT_GATEWAY_API_KEY_2024';",
  ],
  ['a UUID', "const token = '3f2b8c1e-9d47-4a6b-8e5f-1c2d3e4f5a6b';"],
  ['a hash in a list', `const KNOWN = ['${drawn(64, HEX)}', '${drawn(40, HEX)}'];`],
  [
    'an expected digest',
    `const expected = '${drawn(43)}='; const sha256 = '${drawn(44)}'; f({ integrity: 'sha512-${drawn(86)}==' });`,
  ],
  [
    'an alphabet',
    "const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'; f('123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz');",
  ],
  ['an image', `const data = 'iVBORw0KGgo${drawn(60)}'; f('data:image/png;base64,${drawn(90)}');`],
  ['text as base64', `f('${Buffer.from('{"name": "Tokenize a card", "number": 42}').toString('base64')}');`],
  [
    'long names',
    "f('processPaymentIntentSucceededWebhookEventV2', 'com.example.cards.CardTokenizationServiceImpl2', 'X-Amz-Security-Token-Expiration-2024');",
  ],
  [
    'a path',
    "f('/v1/customers/CustomerProfiles/PaymentMethods/2024', 'https://api.example.com/v2/token?grant=client_credentials');",
  ],
  [
    'an address with a user and no password',
    `f('https://user@host/x', 'mailto:user@host', \`https://\${user}:\${password}@host/\`);`,
  ],
  [
    'the sample token of the manuals',
    "f('eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c');",
  ],
  ['prose about a password', "const passwordHint = 'at least 12 letters and 2 digits'; const password = 'hunter2';"],
  ['CSS classes', "f('sk-fading-circle sk-circle12 key-visual-2024-spring');"],
  ['a test key of card numbers', "f('4242424242424242', '5555555555554444');"],
];

describe('a likely secret', () => {
  it.each(SECRETS)('is found: %s', async (_, line, column) => {
    expect(await findings(line)).toEqual([`code.js:1:${column} warning secret-in-code`]);
  });

  it.each(HARMLESS)('is not: %s', async (_, line) => {
    expect((await findings(line)).filter((text) => text.includes('secret-in-code'))).toEqual([]);
  });

  it.each(SECRETS)('is never shown, nor a part of it: %s', async (_, line) => {
    const files = cardFiles({}, { 'code.js': `${line}\nmodule.exports = async (req) => f(req);\n` });
    const folder = folderWith(files);
    const shown = await run(['formula', 'validate', folder], { columns: 300 });
    const json = await run(['formula', 'validate', folder, '--json']);
    const words = line.match(/[A-Za-z0-9]{10,}/g)?.filter((word) => !/^(Authorization|process)$/.test(word)) ?? [];
    expect(words.length).toBeGreaterThan(0);
    expect(shown.out).toContain('secret-in-code');
    for (const word of words) expect(`${shown.out}${json.out}`).not.toContain(word.slice(-8));
  });

  it('is found in the manifest too', async () => {
    const files = cardFiles({ description: `Use sk_live_${drawn(24)}, or ${drawn(40)}` });
    const { findings: found } = await checkFormula(readFolder(folderWith(files)));
    expect(found.map(({ file, line, rule }) => `${file}:${line} ${rule}`)).toEqual([
      'manifest.json:3 secret-in-code',
      'manifest.json:3 secret-in-code',
    ]);
  });

  it('is found in tests too, where other random data is expected', async () => {
    const test = `[{ "name": "a",\n"expect": { "signature": "${drawn(40)}" },\n"args": { "key": "sk_live_${drawn(24)}" } }]`;
    const folder = folderWith(cardFiles({}, { 'tests/a.json': test }));
    const { findings: found, texts } = await checkFormula(readFolder(folder));
    expect(found.map(({ file, line, column, rule }) => `${file}:${line}:${column} ${rule}`)).toEqual([
      'tests/a.json:3:19 secret-in-code',
    ]);
    expect(texts.get('tests/a.json')).not.toContain('sk_live_');
  });

  it('is found in code that does not parse', async () => {
    expect(await findings(`f('sk_live_${drawn(24)}'`)).toContain('code.js:1:4 warning secret-in-code');
  });

  it('is searched in linear time', async () => {
    expect(await findings(`// ${'sk-'.repeat(100_000)}`)).not.toContain('code.js:1:4 warning secret-in-code');
  });

  it('has the same line as other findings of the code', async () => {
    expect(await findings(`// \u2028f('sk_live_${drawn(24)}')`)).toContain('code.js:2:4 warning secret-in-code');
  });
});
