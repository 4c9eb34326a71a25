/** Findings about emitDecoratorMetadata, which esbuild does not support. */
import { describe, expect, it } from 'vitest';
import { bundleCode } from '../../../src/code/bundle/bundle.ts';
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
