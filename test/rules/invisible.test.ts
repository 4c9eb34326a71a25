import { describe, expect, it } from 'vitest';
import { checkFolder } from '../../src/check/check-folder.ts';
import { cardFiles, folderWith } from '../helpers/folders.ts';

const EXPORT = 'module.exports = async (req) => ({ tokenize: { data: req } });\n';

async function found(files: Record<string, string>) {
  const folder = folderWith(files);
  const { findings } = await checkFolder({ displayPath: folder, path: folder });
  return findings
    .filter(({ rule }) => rule === 'code-invisible')
    .map(({ file, line, column, level, message }) => `${file}:${line}:${column} ${level} ${message}`);
}

const inCode = (code: string) => found(cardFiles({}, { 'code.js': code }));

describe('code-invisible', () => {
  it.each<[string, string, string]>([
    ['a name', `const a\u3164 = 1;\n${EXPORT}`, '1:8 warning … U+3164 (Hangul filler)'],
    ['a name that is nothing else', `${EXPORT}const { \u3164 } = {};`, '2:9 warning … U+3164 (Hangul filler)'],
    ['a name with a joiner', `const a\u200db = 1;\n${EXPORT}`, '1:8 warning … U+200D (zero-width joiner)'],
    ['a string', `const a = 'x\u200by';\n${EXPORT}`, '1:13 warning … U+200B (zero-width space)'],
    ['a template', `const a = \`\n\u00ad\`;\n${EXPORT}`, '2:1 warning … U+00AD (soft hyphen)'],
    ['a comment', `/* x\u202ey */\n${EXPORT}`, '1:5 warning … U+202E (bidirectional control)'],
    ['a regular expression', `const a = /\u2060/;\n${EXPORT}`, '1:12 warning … U+2060 (word joiner)'],
    ['white space', `${EXPORT};\ufeff;`, '2:2 warning … U+FEFF (byte order mark)'],
    ['a key', `const a = { 'b\uffa0': 1 };\n${EXPORT}`, '1:15 warning … U+FFA0 (Hangul filler)'],
    ['tags', `const a = '😀\u{e0068}\u{e0069}\u{e0074}';\n${EXPORT}`, '1:14 warning … U+E0068 (tag) and 2 more'],
    [
      'variation selectors',
      `const a = '😀\u{e0101}\u{e0102}';\n${EXPORT}`,
      '1:14 warning … U+E0101 (variation selector) and 1 more',
    ],
    ['an Arabic letter mark alone', `/* \u061c */\n${EXPORT}`, '1:4 warning … U+061C (bidirectional control)'],
    ['a left-to-right mark', `const a = 'x\u200ey';\n${EXPORT}`, '1:13 warning … U+200E (bidirectional control)'],
    ['a blank Braille pattern', `const a = '\u2800';\n${EXPORT}`, '1:12 warning … U+2800 (blank Braille pattern)'],
    ['a control of hieroglyphs', `/* \u{13430} */\n${EXPORT}`, '1:4 warning … U+13430 (no visible shape)'],
    ['the last of them', `/* \u{1343f} */\n${EXPORT}`, '1:4 warning … U+1343F (no visible shape)'],
    ['the Khitan filler', `/* \u{16fe4} */\n${EXPORT}`, '1:4 warning … U+16FE4 (no visible shape)'],
    ['a null notehead', `/* \u{1d159} */\n${EXPORT}`, '1:4 warning … U+1D159 (no visible shape)'],
    ['a noncharacter', `/* \ufdd0 */\n${EXPORT}`, '1:4 warning … U+FDD0 (not a character)'],
    ['an astral noncharacter', `/* \u{1fffe} */\n${EXPORT}`, '1:4 warning … U+1FFFE (not a character)'],
    ['code that cannot be parsed', `const a\u200b = ;`, '1:8 warning … U+200B (zero-width space)'],
  ])('finds %s', async (_, code, expected) => {
    const message = expected.replace('…', 'code.js contains an invisible character:');
    expect(await inCode(code)).toEqual([`code.js:${message}`]);
  });

  it('finds each position', async () => {
    const code = `const a = '\u200b';\r\n// \u2066\n${EXPORT}`;
    expect((await inCode(code)).map((text) => text.split(' ')[0])).toEqual(['code.js:1:12', 'code.js:2:4']);
  });

  it.each([
    ['a byte order mark at the start', `\ufeff${EXPORT}`],
    [
      'emoji',
      `const a = '👨\u200d👩\u200d👧 ❤\ufe0f 1\ufe0f\u20e3 👩🏽\u200d💻 🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}';\n${EXPORT}`,
    ],
    ['Persian', `// می\u200cخواهم\nconst a = 'می\u200cخواهم';\n${EXPORT}`],
    ['Hindi', `const a = 'क्\u200dष';\n${EXPORT}`],
    ['a name in Hindi', `const क्\u200dष = 1;\n${EXPORT}`],
    ['Arabic', `const a = '\u200fمرحبا (1)\u200f';\n${EXPORT}`],
    ['Thai', `const a = 'ภาษา\u200bไทย';\n${EXPORT}`],
    ['a no-break space', `const a = '1\u00a0€ 2\u202f€';\n${EXPORT}`],
    ['escapes', `const a = '\\u200b\\u{e0061}\\u202e';\n${EXPORT}`],
    ['a mark in Hebrew', `const a = 'שלום\u200e (1)';\n${EXPORT}`],
    ['Arabic with a number sign', `const a = '\u0600\u0661';\n${EXPORT}`],
    ['Braille', `const a = '\u2813\u2800\u2811';\n${EXPORT}`],
    ['hieroglyphs in a group', `const a = '\u{13000}\u{13430}\u{13001}';\n${EXPORT}`],
    ['accents', `const a = 'e\u0301 ñ';\n${EXPORT}`],
    ['line separators', `const a = '\u2028';\n${EXPORT}`],
  ])('accepts %s', async (_, code) => {
    expect(await inCode(code)).toEqual([]);
  });

  it('has the positions of the sources of a bundle, and skips packages', async () => {
    const { 'code.js': _, ...files } = cardFiles();
    const bundled = {
      ...files,
      'code.ts': `\ufeffimport { a } from './lib/a.ts';\nimport b from 'b';\nexport default async () => ({ raw: { a, b, c: 'x\u200by' } });\n`,
      'lib/a.ts': `// \u2060\nexport const a: string = 'a';\n`,
      'package.json': '{}',
      'node_modules/b/package.json': '{"name":"b","version":"1.0.0","main":"index.js"}',
      'node_modules/b/index.js': `// \u200b\nmodule.exports = 'b';\n`,
    };
    expect(await found(bundled)).toEqual([
      'code.ts:3:49 warning code.ts contains an invisible character: U+200B (zero-width space)',
      'lib/a.ts:1:4 warning lib/a.ts contains an invisible character: U+2060 (word joiner)',
    ]);
  });
});
