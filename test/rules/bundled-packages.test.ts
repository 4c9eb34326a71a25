import { describe, expect, it } from 'vitest';
import { checkFolder } from '../../src/check/check-folder.ts';
import { folderWith } from '../helpers/folders.ts';

const findingsWith = async (index: string, more: object = {}, files: Record<string, string> = {}) => {
  const path = folderWith({
    '.git/HEAD': '',
    'node_modules/pkg/package.json': JSON.stringify({ name: 'pkg', version: '1.0.0', ...more }),
    'node_modules/pkg/index.js': index,
    'manifest.json': '{"name":"Card","type":"private","configuration":[],"request_parameters":[]}',
    ...files,
    'code.ts': "// card\nimport pkg from 'pkg';\nexport default async () => ({ raw: pkg() });\n",
  });
  const { findings } = await checkFolder({ displayPath: '.', path });
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
    [
      'calls a function of a module',
      "const { constants, ...http } = require('crypto');\nconst c = require('crypto');\nmodule.exports = c.hash('md5', 'a');",
      "require('crypto').hash",
    ],
    ['extends a missing global', 'module.exports = class extends globalThis.Request {};', 'the global Request'],
  ])('gets a warning if it %s at load that Node.js 16 lacks', async (_, index, what) => {
    expect(await findingsWith(index)).toEqual([
      {
        place: 'code.ts:2:17 warning code-bundle',
        message: expect.stringContaining(`"pkg" cannot be loaded: it uses ${what}`),
      },
    ]);
  });

  const MODULE = { type: 'module', sideEffects: false };

  it.each<[string, string, object, string]>([
    [
      'supports newer Node.js only and uses what they have',
      'module.exports = () => new Headers();',
      { engines: { node: '^18.19.0 || >=20.5.0' } },
      'requires Node.js ^18.19.0 || >=20.5.0 and uses the global Headers, which is not in Node.js 16',
    ],
    [
      'supports newer Node.js only and passes on what a module of them has',
      "const { getRandomValues } = require('node:crypto');\nmodule.exports = ((get) => () => get([]))(getRandomValues);",
      { engines: { node: '>=18' } },
      "requires Node.js >=18 and uses require('node:crypto').getRandomValues, which is not in Node.js 16",
    ],
    [
      'is a module that has no other means than a global',
      'export default async () => crypto.subtle.digest("SHA-1", new Uint8Array());',
      MODULE,
      'cannot run: it uses the global crypto, which is not in Node.js 16',
    ],
  ])('gets a warning if it %s', async (_, index, more, words) => {
    expect(await findingsWith(index, more)).toEqual([
      { place: 'code.ts:2:17 warning code-bundle', message: `the bundled package "pkg" ${words}` },
    ]);
  });

  it('gets a warning if another package imports it and it takes what is missing from a module', async () => {
    const other = {
      'node_modules/pkg/node_modules/other/package.json': '{"name":"other","engines":{"node":">=18"}}',
      'node_modules/pkg/node_modules/other/index.js': "exports.id = () => require('crypto').getRandomValues([]);",
    };
    expect(await findingsWith("module.exports = () => require('other').id();", {}, other)).toEqual([
      {
        place: 'code.ts:1:1 warning code-bundle',
        message: expect.stringContaining('the bundled package "other" requires'),
      },
    ]);
  });

  it.each<[string, string, object]>([
    [
      'passes on what may be missing, but supports Node.js 16',
      "const { getRandomValues } = require('node:crypto');\nmodule.exports = ((get) => () => get?.([]))(getRandomValues);",
      { engines: { node: '>=16' } },
    ],
    ['works, though it asks for newer Node.js', 'module.exports = () => 1;', { engines: { node: '>=18' } }],
    ['supports Node.js 16', 'export default () => fetch("x");', { ...MODULE, engines: { node: '>=16.9' } }],
    ['has an unused function', 'export const other = () => crypto.subtle.sign();\nexport default () => 1;', MODULE],
    [
      'has a module that does the same',
      "import node from 'crypto';\nexport default () => (node.webcrypto ? node : crypto).randomUUID();",
      MODULE,
    ],
  ])('gets no warning if it %s', async (_, index, more) => {
    expect(await findingsWith(index, more)).toEqual([]);
  });

  it.each([
    ['uses it in a function only', 'module.exports = () => fetch("https://example.com");'],
    ['reads it off the global object', 'const own = globalThis.fetch;\nmodule.exports = () => own;'],
    ['asks for it first', "const has = typeof Headers === 'function';\nmodule.exports = () => has && new Headers();"],
    ['needs nothing new', 'module.exports = () => 1;'],
  ])('gets no warning if it %s', async (_, index) => {
    expect(await findingsWith(index)).toEqual([]);
  });
});
