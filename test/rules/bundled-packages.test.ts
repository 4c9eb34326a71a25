/** Warnings of bundled packages that Node.js 16 cannot load. */
import { describe, expect, it } from 'vitest';
import { checkFolder } from '../../src/check/check-formula.ts';
import { folderWith } from '../helpers/folders.ts';

const findingsWith = async (index: string) => {
  const path = folderWith({
    '.git/HEAD': '',
    'node_modules/pkg/package.json': '{"name":"pkg","version":"1.0.0"}',
    'node_modules/pkg/index.js': index,
    'manifest.json': '{"name":"Card","type":"private","configuration":[],"request_parameters":[]}',
    'code.ts': "// card\nimport pkg from 'pkg';\nexport default async () => ({ raw: pkg() });\n",
  });
  const { findings } = await checkFolder({ typed: '.', path });
  return findings.map(({ file, line, column, level, rule, message }) => ({
    place: `${file}:${line}:${column} ${level} ${rule}`,
    message,
  }));
};

describe('a bundled package', () => {
  it.each([
    ['uses a global', 'class Own extends Headers {}\nmodule.exports = () => new Own();', 'the global Headers'],
    [
      'loads a module',
      "const { DatabaseSync } = require('node:sqlite');\nmodule.exports = () => DatabaseSync;",
      'the module node:sqlite',
    ],
  ])('is warned of if it %s at load that Node.js 16 lacks', async (_, index, what) => {
    expect(await findingsWith(index)).toEqual([
      {
        place: 'code.ts:2:17 warning code-bundle',
        message: expect.stringContaining(`"pkg" cannot be loaded: it uses ${what}`),
      },
    ]);
  });

  it.each([
    ['uses it in a function only', 'module.exports = () => fetch("https://example.com");'],
    ['reads it off the global object', 'const own = globalThis.fetch;\nmodule.exports = () => own;'],
    ['asks for it first', "const has = typeof Headers === 'function';\nmodule.exports = () => has && new Headers();"],
    ['needs nothing new', 'module.exports = () => 1;'],
  ])('is not warned of if it %s', async (_, index) => {
    expect(await findingsWith(index)).toEqual([]);
  });
});
