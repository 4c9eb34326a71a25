/** Every rule but those of the code, as a table: a folder, and the findings it has. */
import { describe, expect, it } from 'vitest';
import { checkFormula } from '../../src/check/check-folder.ts';
import { readFolder } from '../../src/folder/read.ts';
import { allRules } from '../../src/rules/all.ts';
import { BARE, CARD_CODE, CARD_MANIFEST, cardFiles, folderWith, JPEG, PIXEL } from '../helpers/folders.ts';

/** The findings of a folder as `file:line:column level rule`. */
async function findings(files: Record<string, string | Buffer>): Promise<string[]> {
  return (await checkFormula(readFolder(folderWith(files)))).findings.map(
    ({ file, line, column, level, rule }) => `${file}:${line}:${column} ${level} ${rule}`,
  );
}

const text = (manifest: string | Buffer) => ({ 'manifest.json': manifest, 'code.js': CARD_CODE });
const parameters = (...names: unknown[]) =>
  cardFiles({ request_parameters: names.map((name) => ({ name, type: 'string' })) });
const settings = (...names: unknown[]) => cardFiles({ configuration: names.map((name) => ({ name, type: 'string' })) });

const messagesOf = async (files: Record<string, string | Buffer>) =>
  (await checkFormula(readFolder(folderWith(files)))).findings.map(({ rule, message }) => `${rule}: ${message}`);

const LFS = 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n';

describe('a file of another format is recognized', () => {
  it.each<[string, Record<string, string | Buffer>, RegExp]>([
    ['a Git LFS pointer as manifest', { ...cardFiles(), 'manifest.json': LFS }, /^manifest-syntax: .*Git LFS pointer/],
    ['a link as text', { ...cardFiles(), 'manifest.json': '../a/manifest.json' }, /^manifest-syntax: .*symbolic link/],
    ['a Git LFS pointer as icon', { ...cardFiles(), 'icon.png': LFS }, /^icon-type: .*Git LFS pointer/],
    ['a link as icon', { ...cardFiles(), 'icon.png': '../lib/icon.png' }, /^icon-type: .*symbolic link/],
    [
      'a PNG with converted line endings',
      { ...cardFiles(), 'icon.png': Buffer.from(PIXEL.toString('latin1').replaceAll('\r\n', '\n'), 'latin1') },
      /^icon-type: .*line endings were converted/,
    ],
  ])('%s', async (_, files, expected) => {
    expect(await messagesOf(files)).toEqual([expect.stringMatching(expected)]);
  });

  it('and a duplicate key by its path', async () => {
    const manifest = JSON.stringify(CARD_MANIFEST).replace('"type":"string"', '"type":"string","type":"string"');
    expect(await messagesOf(text(manifest))).toEqual([
      expect.stringMatching(/^manifest-duplicate-key: \w+\[0\]\.type: duplicate key "type"/),
    ]);
  });
});

describe('a note is reported for', () => {
  it.each([
    ['CR LF in the code', { ...cardFiles(), 'code.js': CARD_CODE.replaceAll('\n', '\r\n') }, 'note code-crlf'],
    ['a setting with a space', settings('MY KEY'), 'note configuration-name-portable'],
    ['a setting with a slash', settings('A/B'), 'note configuration-name-portable'],
  ])('%s', async (_, files, expected) => {
    expect((await findings(files)).map((line) => line.replace(/^\S+ /, ''))).toContain(expected);
  });
});

describe('a valid folder has no finding', () => {
  it.each([
    ['the plain one', cardFiles()],
    ['with empty lists', cardFiles(BARE)],
    ['with a byte order mark', text(`\ufeff${JSON.stringify(CARD_MANIFEST)}`)],
    [
      'with $schema and nulls',
      cardFiles({
        $schema: null,
        description: null,
        request_parameters: [{ name: 'a1', type: 'string', optional: null, description: null }],
      }),
    ],
    ['with a name of 200 characters', cardFiles({ name: 'ü'.repeat(200) })],
    [
      'with one name in both lists',
      cardFiles({
        configuration: [{ name: 'key', type: 'string' }],
        request_parameters: [{ name: 'key', type: 'number' }],
      }),
    ],
    ['with nested parameters', parameters('card.number', 'card.holder.name', 'cardinal')],
    ['with a PNG', cardFiles({}, { 'icon.png': PIXEL })],
    ['with an icon in upper case', cardFiles({}, { 'icon.PNG': PIXEL })],
    ['with a JPEG', cardFiles({}, { 'icon.jpeg': JPEG })],
    ['with other files next to it', cardFiles({}, { 'README.md': '#', 'icons/big.svg': '<svg/>' })],
  ])('%s', async (_, files) => {
    expect(await findings(files)).toEqual([]);
  });
});

/** A finding of the manifest, unless it is one of another file. */
const inManifest = (finding: string) => (/^\d/.test(finding) ? `manifest.json:${finding}` : finding);

describe('the manifest', () => {
  it.each([
    ['is missing', { 'code.js': CARD_CODE }, ['1:1 error manifest-missing']],
    ['is a folder', { 'manifest.json/x': '', 'code.js': CARD_CODE }, ['1:1 error manifest-missing']],
    ['is empty', text(''), ['1:1 error manifest-syntax']],
    ['is Latin-1', text(Buffer.from('{"name": "caf\u00e9"}', 'latin1')), ['1:14 error encoding']],
    ['is an array', text('[]'), ['1:1 error manifest-shape']],
    ['is null', text('null'), ['1:1 error manifest-shape']],
    [
      'has a key twice',
      text('{"name": "a", "name": "b", "type": "private", "configuration": [], "request_parameters": []}'),
      ['1:15 error manifest-duplicate-key'],
    ],
    ['has no name', cardFiles({ name: undefined }), ['1:1 error manifest-shape']],
    [
      'lacks both lists',
      cardFiles({ configuration: undefined, request_parameters: undefined }),
      ['1:1 error manifest-shape', '1:1 error manifest-shape'],
    ],
    ['has a map for a list', cardFiles({ configuration: { a: 'string' } }), ['5:20 error manifest-shape']],
    [
      'has text for optional',
      cardFiles({ request_parameters: [{ name: 'a1', type: 'string', optional: 'false' }] }),
      ['15:19 error manifest-shape'],
    ],
    ['has an unknown key', cardFiles({ owner: 'x' }), ['22:3 warning manifest-unknown-key']],
    [
      'has a misspelled key',
      cardFiles({ request_parameters: undefined, request_parameter: [] }),
      ['11:3 error manifest-misspelt-key'],
    ],
    [
      'has a misspelled key in an element',
      cardFiles({ configuration: [{ nane: 'A1', type: 'string' }] }),
      ['7:7 error manifest-misspelt-key'],
    ],
    [
      'is nested too deep',
      text(
        `{"name":"a","description":${'['.repeat(100_000)}${']'.repeat(100_000)},"type":"private","configuration":[],"request_parameters":[]}`,
      ),
      ['1:27 error manifest-shape', '1:90 error manifest-depth'],
    ],
  ])('that %s is rejected', async (_, files, found) => {
    expect(await findings(files as Record<string, string>)).toEqual(found.map(inManifest));
  });
});

describe('the name', () => {
  it.each([
    ['', 'error name-length'],
    [' \u00a0', 'error name-length'],
    ['x'.repeat(201), 'error name-length'],
    ['😀'.repeat(150), 'warning name-units'],
    ['two\nlines', 'warning name-control'],
    [' padded', 'warning name-control'],
  ])('%j has one finding: %s', async (name, found) => {
    expect(await findings(cardFiles({ name }))).toEqual([`manifest.json:2:11 ${found}`]);
  });

  it('with an unpaired surrogate is rejected', async () => {
    expect(await findings(cardFiles({ name: 'a\ud800' }))).toEqual(['manifest.json:2:11 error name-text']);
  });

  it('requires a type in the exact spelling', async () => {
    expect(await findings(cardFiles({ type: 'Private' }))).toEqual(['manifest.json:4:11 error type-value']);
  });
});

describe('an element', () => {
  it.each([
    ['a setting with a dot', settings('db.host'), ['7:15 error configuration-name']],
    ['a setting without a name', settings(''), ['7:15 error configuration-name']],
    ['a parameter with an empty level', parameters('a..b'), ['13:15 error parameter-name']],
    ['a parameter that begins with a dot', parameters('.a1'), ['13:15 error parameter-name']],
    ['a parameter that is also a parent', parameters('card', 'card.number'), ['13:15 warning parameter-overlap']],
    ['the same parameter twice', parameters('a1', 'a1'), ['17:15 warning element-duplicate']],
    [
      'the same setting with two types',
      cardFiles({
        configuration: [
          { name: 'A1', type: 'string' },
          { name: 'A1', type: 'number' },
        ],
      }),
      ['11:15 error element-duplicate'],
    ],
    ['an unknown type', cardFiles({ configuration: [{ name: 'A1', type: 'integer' }] }), ['8:15 error element-type']],
  ])('is rejected: %s', async (_, files, found) => {
    expect(await findings(files)).toEqual(found.map(inManifest));
  });
});

describe('a valid value with limited support', () => {
  const many = (count: number) => Array.from({ length: count }, (_, i) => ({ name: `P${i + 10}`, type: 'string' }));
  const element = (extra: object) => cardFiles({ configuration: [{ name: 'A1', type: 'string', ...extra }] });
  it.each<[string, Record<string, string | Buffer>, string[]]>([
    ['type official', cardFiles({ type: 'official' }), ['4:11 note type-official']],
    ['a parameter of one character', parameters('a'), ['13:15 note parameter-name-portable']],
    ['a parameter with a space', parameters('a b'), ['13:15 note parameter-name-portable']],
    ['a description of 1,001 characters', cardFiles({ description: 'x'.repeat(1001) }), ['3:18 note limits-known']],
    ['a description of 1,000 characters', cardFiles({ description: 'x'.repeat(1000) }), []],
    ['an element name of 201 characters', element({ name: 'x'.repeat(201) }), ['7:15 note limits-known']],
    ['an element description of two lines', element({ description: 'a\nb' }), ['9:22 note limits-known']],
    ['an element description of 401 characters', element({ description: 'x'.repeat(401) }), ['9:22 note limits-known']],
    ['26 elements', cardFiles({ configuration: many(26) }), ['5:20 note limits-known']],
    ['25 elements', cardFiles({ configuration: many(25) }), []],
    [
      '50,001 characters of code',
      cardFiles({}, { 'code.js': `${CARD_CODE}//${'x'.repeat(50_001)}` }),
      ['code.js:1:1 note limits-known'],
    ],
    [
      'an icon of 40,000 bytes',
      cardFiles({}, { 'icon.png': Buffer.concat([PIXEL, Buffer.alloc(40_000)]) }),
      ['icon.png:1:1 note limits-known'],
    ],
  ])('is a note: %s', async (_, files, found) => {
    expect(await findings(files)).toEqual(found.map(inManifest));
  });
});

describe('the files', () => {
  it.each([
    ['no code', { 'manifest.json': JSON.stringify(CARD_MANIFEST) }, ['code.js:1:1 error code-missing']],
    [
      'code that is a folder',
      { 'manifest.json': JSON.stringify(CARD_MANIFEST), 'code.js/x': '' },
      ['code.js:1:1 error code-missing'],
    ],
    ['code with NUL bytes', cardFiles({}, { 'code.js': `${CARD_CODE}\0` }), ['code.js:2:1 error encoding']],
    ['code that is an image', cardFiles({}, { 'code.js': PIXEL }), ['code.js:1:1 error encoding']],
    ['two code files', cardFiles({}, { 'code.ts': '' }), ['code.ts:1:1 error code-several']],
    ['an empty icon', cardFiles({}, { 'icon.png': '' }), ['icon.png:1:1 error icon-type']],
    ['an SVG icon', cardFiles({}, { 'icon.svg': '<svg/>' }), ['icon.svg:1:1 error icon-type']],
    ['an SVG in a PNG', cardFiles({}, { 'icon.png': '<svg/>' }), ['icon.png:1:1 error icon-type']],
    ['a truncated icon', cardFiles({}, { 'icon.png': PIXEL.subarray(0, 40) }), ['icon.png:1:1 error icon-type']],
    ['a JPEG in a PNG', cardFiles({}, { 'icon.png': JPEG }), ['icon.png:1:1 warning icon-mislabelled']],
    ['two icons', cardFiles({}, { 'icon.jpg': JPEG, 'icon.png': PIXEL }), ['icon.png:1:1 error icon-several']],
    ['a second icon', cardFiles({}, { 'icon.png': PIXEL, 'icon.svg': '<svg/>' }), ['icon.svg:1:1 note icon-several']],
  ] as [string, Record<string, string>, string[]][])('are found out: %s', async (_, files, found) => {
    expect(await findings(files)).toEqual(found);
  });
});

describe('all findings', () => {
  it('of a folder are reported at once, in file order', async () => {
    const manifest = {
      name: '',
      type: 'public',
      configuration: [{ name: 'A1', type: 'object' }],
      request_parameters: [{ type: 'string' }, { name: 'b1', type: 'string', optional: 1 }],
    };
    const found = await findings({ 'manifest.json': JSON.stringify(manifest, null, 2), 'icon.png': '', 'code.js': '' });
    expect(found).toEqual([
      'manifest.json:2:11 error name-length',
      'manifest.json:3:11 error type-value',
      'manifest.json:7:15 error element-type',
      'manifest.json:11:5 error manifest-shape',
      'manifest.json:17:19 error manifest-shape',
      'code.js:1:1 error code-empty',
      'icon.png:1:1 error icon-type',
    ]);
  });

  it('have rules with unique ids', () => {
    const ids = allRules.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('a manifest that is huge', () => {
  const count = 5_000;
  const many = <T>(make: (i: number) => T) => Array.from({ length: count }, (_, i) => make(i));
  const nested = (inner: string) => `${'['.repeat(63)}${inner}${']'.repeat(63)}`;
  const top = JSON.stringify({ ...CARD_MANIFEST, ...BARE }).slice(0, -1);

  it.each<[string, string, string, number]>([
    ['unknown keys', `${top},${many((i) => `"key${i}":1`).join(',\n')}}`, 'manifest-unknown-key', count],
    ['an unknown key of 200,000 characters', `${top},"${'x'.repeat(200_000)}":1}`, 'manifest-unknown-key', 1],
    ['more than 250,000 characters', `${top},"${'x'.repeat(250_000)}":1}`, 'manifest-syntax', 1],
    ['one key again and again', `${top},${many(() => '"name":"a"').join(',\n')}}`, 'manifest-duplicate-key', count],
    ['containers that are too deep', `${top},"x":${nested(many(() => '[1]').join(','))}}`, 'manifest-depth', 1],
    [
      'elements with a misspelled key',
      JSON.stringify({ ...CARD_MANIFEST, configuration: many(() => ({ nmae: 'A1', type: 'string' })) }),
      'manifest-misspelt-key',
      count,
    ],
    [
      'parameters that are parents',
      JSON.stringify({
        ...CARD_MANIFEST,
        request_parameters: many((i) => ({ name: `a${i >> 1}${i % 2 ? '.b' : ''}`, type: 'string' })),
      }),
      'parameter-overlap',
      count / 2,
    ],
  ])('with %s is checked in time', async (_, manifest, rule, times) => {
    const found = (await findings(text(manifest))).filter((finding) => finding.endsWith(` ${rule}`));
    expect(found.length).toBe(times);
  });
});

describe('the body of a valid folder', () => {
  it('contains the known fields, the code byte for byte, and the icon as a data URL', async () => {
    const code = `\ufeff${CARD_CODE.replace('\n', '\r\n')}`;
    const { body } = await checkFormula(
      readFolder(folderWith(cardFiles({ $schema: 'x', owner: 'x' }, { 'code.js': code, 'icon.png': PIXEL }))),
    );
    expect(body).toEqual({
      ...CARD_MANIFEST,
      code: code.slice(1),
      icon: `data:image/png;base64,${PIXEL.toString('base64')}`,
    });
  });

  it('omits fields that the folder does not set, and preserves null', async () => {
    const bodyWith = async (manifest: object) => (await checkFormula(readFolder(folderWith(cardFiles(manifest))))).body;
    expect(await bodyWith({ description: undefined })).not.toHaveProperty('description');
    expect(await bodyWith({ description: null })).toHaveProperty('description', null);
    expect(await bodyWith({})).not.toHaveProperty('icon');
  });
});
