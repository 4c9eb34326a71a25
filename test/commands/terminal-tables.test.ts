/** What people see on a terminal: cards, signs and plans; a pipe gets the same as ever. */
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { cardFiles, folderWith, inFolder, JPEG, PIXEL } from '../helpers/folders.ts';
import { json, loopback } from '../helpers/loopback.ts';
import { machine } from '../helpers/machine.ts';
import { expectExit, run } from '../helpers/test-host.ts';

const FORMULA = {
  id: '11111111-1111-4111-8111-111111111111',
  name: 'Tokenize a card',
  description: 'Tokenizes \u001b[31ma card, and says which brand it is of, with its last four digits in plain text',
  type: 'official',
  status: 'coming_soon',
  icon: `data:image/png;base64,${PIXEL.toString('base64')}`,
  code: 'module.exports = 1;\n// two\n',
  configuration: [],
  request_parameters: [
    { name: 'card.number', description: '漢字の名前がとても長いとき、どこかで切られる', type: 'string' },
    { name: 'card.year', type: 'number', optional: true },
  ],
  created_at: '2020-02-03T04:05:06Z',
  modified_at: null,
  owner: { team: 'cards' },
};

/** Shows a formula of a service on a terminal of this width, or in a pipe. */
async function shown(words: readonly string[], columns?: number, formula: object = FORMULA) {
  const { env } = await loopback((_, response) =>
    json(response, 200, { data: [formula], pagination: { total_items: 1, total_pages: 1 } }),
  );
  const { code, out } = await run(['formula', ...words], { env, ...(columns !== undefined && { columns }) });
  expect(code).toBe(0);
  return out;
}

describe('formula get on a terminal', () => {
  it('is a card with configuration and request parameters as two tables', async () => {
    expect(await shown(['get', 'Tokenize a card'], 80)).toBe(`Tokenize a card
Tokenizes \\u001b[31ma card, and says which brand it is of, with its last four
digits in plain text

id           11111111-1111-4111-8111-111111111111
type         * official
status       … coming_soon
icon         image/png, 1 × 1 pixels, 68 bytes
code         27 bytes, 2 lines
created_at   2020-02-03 (2020-02-03T04:05:06Z)
modified_at  -
owner        {"team":"cards"}

Configuration  none

Request parameters
  card.number  string            漢字の名前がとても長いとき、どこかで切られる
  card.year    number, optional
`);
  });

  it.each([40, 80, 160])('of %d columns is never wider than it', async (columns) => {
    for (const line of (await shown(['get', 'Tokenize a card'], columns)).split('\n'))
      expect(stringWidth(line)).toBeLessThanOrEqual(columns);
  });

  it.each([
    [`data:image/jpeg;base64,${JPEG.toString('base64')}`, 'image/jpeg, 32 bytes'],
    ['data:image/png;base64,R0lGODlh', 'a GIF image, 6 bytes'],
    ['https://example.com/icon.png', 'not an image data URL, 28 characters'],
    [null, 'none'],
  ])('shows the icon %j as %j', async (icon, text) => {
    expect(await shown(['get', 'Tokenize a card'], 80, { ...FORMULA, icon })).toContain(`icon         ${text}\n`);
  });

  it('shows a formula with only an id and a name', async () => {
    const bare = { id: 'x', name: 'Bare', request_parameters: [{ name: 'a' }, {}] };
    expect(await shown(['get', 'Bare'], 80, bare)).toBe(
      'Bare\n\nid  x\n\nConfiguration  none\n\nRequest parameters\n  a\n\n',
    );
  });

  it('is a line for each field in a pipe', async () => {
    const out = await shown(['get', 'Tokenize a card']);
    expect(out).toContain('status\tcoming_soon\n');
    expect(out).toContain('request_parameters\tcard.number: string, card.year?: number\n');
  });
});

describe('formula list on a terminal', () => {
  it('marks type and status with icons', async () => {
    expect(await shown(['list'], 120)).toMatch(/Tokenize a card +\* official +… coming_soon +2020-02-03\n/);
    expect(await shown(['list'])).toContain('\tofficial\tcoming_soon\t\n');
  });

  it('shortens the id first, then omits the time, and shows blocks if nothing fits', async () => {
    expect(await shown(['list'], 85)).toMatch(/MODIFIED\n11111111 {2}Tokenize a card .*… coming_soon {2}2020-02-03\n$/);
    expect(await shown(['list'], 60)).toMatch(/STATUS\n11111111 {2}Tokenize a card .*… coming_soon\n$/);
    expect(await shown(['list'], 40)).toBe(
      'ID\n  11111111-1111-4111-8111-111111111111\nNAME    Tokenize a card\nTYPE    * official\nSTATUS  … coming_soon\n',
    );
  });
});

describe('push on a terminal', () => {
  it('is a plan with icons and a summary', async () => {
    const cwd = folderWith({ ...inFolder('all/a', cardFiles({ name: 'A' })), ...inFolder('all/b', cardFiles()) });
    const formulary = machine({ cwd });
    await formulary('create all/a');
    const plan = await formulary('diff all --verbose', { columns: 80 });
    expect(plan.out).toMatch(/^= keep {2}all\/a {2}A {2}\S+\n\+ create {2}all\/b {2}Tokenize a card\n$/);
    expect(plan.err).toMatch(/^1 to create, 0 to update, 1 up to date\n/m);
    const push = await formulary('push all', { columns: 120 });
    expect(push.out).toMatch(/^\+ created {2}all\/b/m);
    expect(push.err).toContain('1 created, 1 unchanged on the embedded service\n');
  });
});

describe('a write of one formula on a terminal', () => {
  it('prints one line, and the card with --verbose', async () => {
    const formulary = machine({ cwd: folderWith(cardFiles()) });
    expectExit(await formulary('create .', { columns: 80 }), 0, /Created formula "Tokenize a card" \(.*\)\n$/, '');
    const verbose = await formulary('update . --verbose', { columns: 80 });
    expect(verbose.out).toContain('Request parameters\n');
  });
});

describe('findings of many folders on a terminal', () => {
  const folders = Array.from({ length: 6 }, (_, i) =>
    inFolder(`all/f${i}`, cardFiles({ name: `Card ${i}`, extra: 1, ...(i > 3 && { type: 'x' }) })),
  );
  const validate = (words: readonly string[], columns?: number) =>
    run(['formula', 'validate', 'all', ...words], {
      cwd: folderWith(Object.assign({}, ...folders)),
      ...(columns !== undefined && { columns }),
    });

  it('are counted from the fourth folder on; errors are complete, and valid folders are not listed', async () => {
    const { out, err } = await validate([], 80);
    expect(out.match(/warning manifest-unknown-key/g)).toHaveLength(3);
    expect(out.match(/error type-value/g)).toHaveLength(2);
    expect(out).not.toContain(': valid');
    expect(out).toMatch(/all\/f4: invalid\n[\s\S]*all\/f5: invalid\nand 3 more \(manifest-unknown-key\)\n$/);
    expect(err).toMatch(/4 valid, 2 invalid\n$/);
  });

  it('are complete in a pipe and with --verbose', async () => {
    for (const { out } of [await validate([]), await validate(['--verbose'], 80)]) {
      expect(out.match(/warning manifest-unknown-key/g)).toHaveLength(6);
      expect(out.match(/: valid/g)).toHaveLength(4);
    }
  });
});
