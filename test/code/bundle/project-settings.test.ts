/** What emitDecoratorMetadata of tsconfig.json and ranges of Node.js versions mean for a bundle. */
import { describe, expect, it } from 'vitest';
import { bundleCode } from '../../../src/code/bundle/bundle.ts';
import { excludesNode16 } from '../../../src/code/bundle/engines.ts';
import { folderWith } from '../../helpers/folders.ts';

const faultsWith = async (options: object, code: string) => {
  const tsconfig = `{\n  "compilerOptions": ${JSON.stringify(options)}\n}\n`;
  const folder = folderWith({ '.git/HEAD': '', 'tsconfig.json': tsconfig, 'code.ts': code });
  const { problems } = await bundleCode(folder, 'code.ts');
  return problems.map(({ file, line, level, message }) => `${file}:${line} ${level} ${message}`);
};
const DECORATED = `const own = (_: unknown, name: string) => void name;
class Card {
  @own
  number = '';
}
export default async () => ({ raw: { t: new Card().number } });
`;
const BOTH = { experimentalDecorators: true, emitDecoratorMetadata: true };

describe('emitDecoratorMetadata', () => {
  it('gets a warning if the code has decorators', async () => {
    expect(await faultsWith(BOTH, DECORATED)).toEqual([
      expect.stringMatching(/^tsconfig\.json:2 warning emitDecoratorMetadata has no effect/),
    ]);
  });

  it.each([
    ['the code has none', BOTH, 'export default async () => ({ raw: { t: "a@b.c" } });\n'],
    ['it is not set', { experimentalDecorators: true }, DECORATED],
  ])('gets no warning if %s', async (_, options, code) => {
    expect(await faultsWith(options, code)).toEqual([]);
  });
});

describe('a range of Node.js versions', () => {
  it.each([
    '>=18',
    '>= 18.0.0',
    '^18 || >=20',
    '^18.19.0 || >=20.5.0',
    '20 || >=22',
    '18.x',
    '>=20 <23',
    '18 - 22',
    'v18',
  ])('excludes Node.js 16: %s', (range) => {
    expect(excludesNode16(range)).toBe(true);
  });

  it.each([
    '*',
    '',
    '>=16',
    '>=0.10',
    '^14.13 || >=16.0.0',
    '4.x || >=6.0.0',
    '14 - 22',
    '<23',
    '>=12.*',
    'lts',
    '16 || 18',
  ])('includes Node.js 16, or does not exclude it: %s', (range) => {
    expect(excludesNode16(range)).toBe(false);
  });
});
