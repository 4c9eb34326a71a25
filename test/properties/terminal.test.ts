/** Whatever a service or a file contains, a real terminal shows it as text and is not changed. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shownOn } from '../helpers/emulator.ts';
import { CARD_CODE, CARD_MANIFEST, cardFiles, folderWith, inFolder } from '../helpers/folders.ts';
import { json, loopback, type Respond } from '../helpers/loopback.ts';
import { runs } from '../helpers/runs.ts';
import { run } from '../helpers/test-host.ts';

const ID = '33333333-3333-4333-8333-333333333333';

/** What changes the state of a terminal. */
const DRIVING = [
  '\x1b[31m \x1b[7m \x1b[8m \x1b[?25l \x1b[?1049h \x1b[?1000h \x1b[?2004h \x1b[4h \x1b[?6h \x1b[3g \x1b(0',
  '\x1b[6n \x1b[c \x1b]0;title\x07 \x1b]8;;http://x\x07a\x1b]8;;\x07 \x1b]52;c;eA==\x07 \u009b31m',
  '\u009d0;t\u009c \x07',
].flatMap((sequences) => sequences.split(' '));

/** What else services and files could hold that is more than a text. */
const OTHERS = [
  ...'\x1b[2J \x1b[H \x1bc \x1bPq\x1b\\ \x1b_x\x1b\\ \x0e \x0f \x1b \x1b[ \r \n \r\n'.split(' '),
  ...'\t \b \x7f \v \f \0 \x85 \u2028 \u202e \u2066 \ufeff'.split(' '),
];

const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(...DRIVING, ...OTHERS),
      fc.string({ maxLength: 8 }),
      fc.string({ unit: 'binary', maxLength: 3 }),
    ),
    { minLength: 1, maxLength: 5 },
  )
  .map((parts) => parts.join(''));

interface Hostile {
  texts: readonly string[];
  columns: number;
}

const formulaOf = ([name = '', description = '', other = '']: readonly string[]) => ({
  ...CARD_MANIFEST,
  id: ID,
  name,
  description,
  status: other,
  code: `${CARD_CODE}// ${description}\n${other}`,
  configuration: [{ name: other, description, type: 'string' }],
  modified_at: other,
  [other || 'more']: { [name]: description },
});

/** A service of which everything is hostile: it lists two formulas of one name, and refuses what is sent. */
const serving =
  ({ texts }: Hostile): Respond =>
  ({ method, url }, response) => {
    const formula = formulaOf(texts);
    const [name = '', description = '', other = ''] = texts;
    if (method !== 'GET') {
      const errors = { [name]: [description], 'configuration[0].name': [other], [other]: description };
      return json(response, 400, { title: name, detail: description, errors, request_id: other });
    }
    if (url.startsWith('/permissions'))
      return json(response, 200, [{ type: name, description, application_types: [other] }]);
    if (url.includes(ID)) return json(response, 200, formula);
    const card = { ...formula, name: CARD_MANIFEST.name, id: ID.replaceAll('3', '4') };
    const data = [formula, { ...formula, id: ID.replaceAll('3', '5') }, card];
    json(response, 200, { pagination: { total_items: 3, page_number: 1, page_size: 100, total_pages: 1 }, data });
  };

/** One of each kind of output; `NAME` is the hostile name itself. */
const COMMANDS = [
  'permissions list',
  'formula list',
  `formula list --fields id,name,status`,
  `formula get ${ID}`,
  `formula get ${ID} --code`,
  'formula get NAME',
  'formula delete NAME --yes',
  'formula create DIR',
  `formula update ${ID} DIR`,
  `formula update ${ID} DIR --dry-run`,
  'formula diff TREE',
  'formula push TREE',
  'formula push TREE --dry-run',
  'formula push TREE --verbose --no-history',
  'formula pull --dir OUT',
  'formula validate BAD --verbose',
];

async function printed(line: string, given: Hostile, flags: readonly string[]) {
  const { url } = await loopback(serving(given));
  const [name = '', description = ''] = given.texts;
  const tree = folderWith({ ...inFolder('card', cardFiles()) });
  const bad = folderWith({
    'manifest.json': JSON.stringify(
      { ...CARD_MANIFEST, name, [description]: 1, type: name, configuration: [{ [name]: name }] },
      null,
      1,
    ),
    'code.js': `${name}\n${description}`,
  });
  const places: Record<string, string> = {
    DIR: `${tree}/card`,
    TREE: tree,
    OUT: folderWith(),
    BAD: bad,
    NAME: name || 'x',
  };
  const words = line.split(' ').map((word) => places[word] ?? word);
  const env = { FORMULARY_BASE_URL: url, FORMULARY_API_KEY: 'key_on-a-terminal', XDG_STATE_HOME: folderWith() };
  const { out, err } = await run([...words, ...flags], { env, columns: given.columns });
  return { out, err };
}

/** The lines of a text, as a terminal lays them out: tabs become spaces there, and wide characters may leave a cell free. */
const squeezed = (lines: readonly string[]) => lines.map((line) => line.replace(/\s+/g, ''));

describe('output on a terminal', () => {
  const given = fc.record({
    texts: fc.array(hostile, { minLength: 3, maxLength: 3 }),
    columns: fc.constantFrom(20, 40, 80, 200),
  });

  it.each(COMMANDS)('is shown as text, and does not change the terminal: %s', async (line) => {
    await fc.assert(
      fc.asyncProperty(given, async (hostileGiven) => {
        const { out, err } = await printed(line, hostileGiven, []);
        expect((await shownOn(hostileGiven.columns, err)).changed).toEqual([]);
        // Without the progress, which is written over.
        for (const text of [out, err.replace(/[^\n]*\r/g, '')]) {
          const { lines, changed } = await shownOn(hostileGiven.columns, text);
          expect(changed).toEqual([]);
          const shown = text.endsWith('\n') || text === '' ? lines.slice(0, -1) : lines;
          expect(squeezed(shown)).toEqual(squeezed(text === '' ? [] : text.replace(/\n$/, '').split('\n')));
        }
      }),
      { numRuns: runs(2) },
    );
  });

  it('may have colors, but resets them', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...COMMANDS), given, async (line, hostileGiven) => {
        const { out, err } = await printed(line, hostileGiven, ['--color']);
        for (const text of [out, err]) expect((await shownOn(hostileGiven.columns, text)).changed).toEqual([]);
      }),
      { numRuns: runs(8) },
    );
  });
});

describe('the emulated terminal', () => {
  it.each(DRIVING)('detects %j', async (sequence) => {
    expect((await shownOn(80, `a${sequence}`)).changed).not.toEqual([]);
  });
});
