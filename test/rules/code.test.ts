import { describe, expect, it } from 'vitest';
import { checkFormula } from '../../src/check/check-folder.ts';
import { readFolder } from '../../src/folder/read.ts';
import { cardFiles, folderWith } from '../helpers/folders.ts';

const findings = async (code: string) =>
  (await checkFormula(readFolder(folderWith(cardFiles({}, { 'code.js': code }))))).findings.filter(
    ({ file, level }) => file === 'code.js' && level !== 'note',
  );

describe('the rules of the code', () => {
  it.each<[string, string, string, string[]]>([
    ['no code', '// later\n', 'error code-empty', ['export']],
    ['a Markdown code block', '```js\nmodule.exports = 1;\n```\n', 'error code-syntax', ['Markdown']],
    ['a syntax error', 'x = (;', 'error code-syntax', ['line 1']],
    ['conflict markers', '<<<<<<< ours\n', 'error code-syntax', ['conflict markers']],
    ['export', 'export default 1;', 'error code-module', ['module.exports', 'export']],
    ['import', "import x from 'x';", 'error code-module', ['import']],
    ['await at the top', 'await x;', 'error code-module', ['await', 'module.exports']],
    ['TypeScript', 'let x: string;', 'error code-module', ['TypeScript']],
    ['newer syntax', 'x = /a/v;', 'error code-syntax-target', ['Node.js 16', 'flag v']],
    ['no export', 'const x = 1;', 'error code-export', ['module.exports']],
    ['a property', 'exports.handler = async () => ({});', 'error code-export', ['handler', 'module.exports']],
    ['a class', 'module.exports = class {};', 'error code-export', ['class']],
    ['a synchronous function', 'module.exports = () => ({});', 'warning code-sync', ['async']],
    [
      'a global of newer Node.js',
      'module.exports = async () => ({ raw: await fetch("x") });',
      'warning code-target-global',
      ['the global fetch', 'Node.js 16', 'node-fetch'],
    ],
    [
      'a method of newer Node.js',
      'module.exports = async ({ args }) => ({ raw: { last: args.list.findLast(Boolean) } });',
      'warning code-target-global',
      ['the method .findLast()', 'reverse().find('],
    ],
    ['a generator', 'module.exports = async function* () { yield { raw: {} }; };', 'warning code-sync', ['generator']],
    ['a shebang', '#!/usr/bin/env node\nmodule.exports = async () => ({});', 'warning code-shebang', ['shebang']],
    [
      'a shebang after a byte order mark',
      '\ufeff#!/usr/bin/env node\nmodule.exports = async () => ({});',
      'warning code-shebang',
      ['shebang'],
    ],
  ])('find %s', async (_, code, rule, words) => {
    const found = await findings(code);
    expect(found.map(({ level, rule: id }) => `${level} ${id}`)).toEqual([rule]);
    for (const word of words) expect(`${found[0]?.message} ${found[0]?.fix}`).toContain(word);
  });

  it('have the position of the mistake', async () => {
    expect(await findings('\n  exports.handler = 1;')).toMatchObject([{ file: 'code.js', line: 2, column: 3 }]);
  });

  it('report that code of more than 1,000,000 characters is not analyzed', async () => {
    const code = `import x from 'y';\n${'f();\n'.repeat(200_000)}`;
    const { findings: found } = await checkFormula(readFolder(folderWith(cardFiles({}, { 'code.js': code }))));
    expect(found.map(({ level, rule, message }) => [level, rule, message])).toEqual([
      ['note', 'limits-known', expect.stringContaining('more than 1000000 are not analyzed')],
    ]);
  });
});
