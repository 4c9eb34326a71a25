/** Scripts of formula edit --script: what they get, what they may return, and how they fail. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CARD_CODE, CARD_MANIFEST, cardFiles, folderWith } from '../helpers/folders.ts';
import { run } from '../helpers/test-host.ts';

/** Runs a script on the card formula; returns how it ended, and the two texts after it. */
async function edited(script: string, name = 's.mjs', files: Record<string, string | Buffer> = cardFiles()) {
  const card = Object.fromEntries(Object.entries(files).map(([file, content]) => [`card/${file}`, content]));
  const cwd = folderWith({ ...card, [name]: script });
  const ended = await run(['formula', 'edit', 'card', '--script', name], { cwd });
  const text = (file: string) => readFileSync(join(cwd, 'card', file), 'utf8');
  return { ...ended, text };
}

describe('a script', () => {
  it.each<[string, string, string]>([
    [
      'changes what it gets',
      's.mjs',
      'export default (formula) => { formula.manifest.description = "x"; formula.code += "//\\n"; };',
    ],
    [
      'returns both',
      's.mjs',
      'export default ({ manifest, code }) => ({ manifest: { ...manifest, description: "x" }, code: code + "//\\n" });',
    ],
    [
      'returns one and changes the other',
      's.mjs',
      'export default async ({ manifest, code }) => { manifest.description = "x"; return { code: code + "//\\n" }; };',
    ],
    [
      'is CommonJS',
      's.cjs',
      'module.exports = (formula) => { formula.manifest.description = "x"; formula.code += "//\\n"; };',
    ],
  ])('%s', async (_, name, script) => {
    const { code, out, text } = await edited(script, name);
    expect(code).toBe(0);
    expect(text('code.js')).toBe(`${CARD_CODE}//\n`);
    expect(text('manifest.json')).toBe(cardFiles({ description: 'x' })['manifest.json']);
    expect(out).toContain('--- card/manifest.json\n');
    expect(out).toContain('--- card/code.js\n');
  });

  it('gets the folder, the parsed manifest, and the code without a byte order mark', async () => {
    const script = 'export default (formula) => console.log(JSON.stringify(formula));';
    const { code, out, err } = await edited(script, 's.mjs', { ...cardFiles(), 'code.js': `\ufeff${CARD_CODE}` });
    expect({ code, out }).toEqual({ code: 0, out: '' });
    expect(JSON.parse(err.split('\n')[0] ?? '')).toEqual({ folder: 'card', manifest: CARD_MANIFEST, code: CARD_CODE });
    expect(err).toMatch(/\nnothing to do: 1 unchanged\n$/);
  });

  it('loads files next to it, and packages', async () => {
    const cwd = folderWith({
      ...Object.fromEntries(Object.entries(cardFiles()).map(([name, content]) => [`card/${name}`, content])),
      'tools/s.mjs':
        "import { text } from './text.mjs';\nexport default ({ manifest }) => { manifest.description = text; };\n",
      'tools/text.mjs': "export const text = 'from next to it';\n",
    });
    expect(await run(['formula', 'edit', 'card', '--script', 'tools/s.mjs'], { cwd })).toMatchObject({
      code: 0,
      out: expect.stringContaining('from next to it'),
    });
  });

  it('removes and adds elements, and preserves the layout of the others', async () => {
    const manifest =
      '{"name":"N","type":"private","configuration":[ {"name":"A", "type":"string"} ],\n"request_parameters":[]}';
    const script = `export default ({ manifest }) => {
      manifest.configuration.unshift({ name: 'B', type: 'number' });
      manifest.request_parameters.push({ name: 'c', type: 'boolean' });
    };`;
    const { text } = await edited(script, 's.mjs', { ...cardFiles(), 'manifest.json': manifest });
    expect(text('manifest.json')).toContain('"configuration":[ {"name":"B","type":"number"},');
    expect(text('manifest.json')).toContain(' {"name":"A", "type":"string"} ],\n');
  });

  it.each<[string, string, string]>([
    [
      'throws',
      'export default () => {\n  throw new TypeError("no brand");\n};',
      'could not change card: TypeError: no brand (s.mjs:2:9)',
    ],
    [
      'rejects',
      'export default async () => {\n  throw new Error("no brand");\n};',
      'could not change card: no brand (s.mjs:2:9)',
    ],
    [
      'throws a value that is not an error',
      'export default () => { throw "no brand"; };',
      "could not change card: 'no brand'",
    ],
    [
      'throws later',
      'export default () => new Promise(() => setTimeout(() => { throw new Error("late"); }));',
      'could not change card: late (s.mjs:1:',
    ],
    ['throws when it is loaded', 'throw new Error("early");', 'could not load the script s.mjs: early (s.mjs:1:7)'],
    [
      'is not JavaScript',
      'export default () => {\n  let x = ;\n};',
      "could not load the script s.mjs: SyntaxError: Unexpected token ';' (s.mjs:2:11)",
    ],
    [
      'exports no function',
      'export const x = 1;',
      'could not load the script s.mjs: it must export a function as its default',
    ],
    [
      'ends its process',
      'export default () => process.exit(3);',
      'could not change card: the script ended its process (exit 3) instead of returning',
    ],
    [
      'never returns',
      'export default () => new Promise(() => {});',
      'could not change card: the script waits for something that never happens',
    ],
    [
      'returns a string',
      'export default () => "x";',
      "could not change card: the script must return nothing or an object with manifest or code (got 'x')",
    ],
    [
      'returns the manifest itself',
      'export default ({ manifest }) => manifest;',
      'could not change card: the script must return nothing or an object with manifest or code',
    ],
    [
      'returns code that is not a string',
      'export default () => ({ code: 1 });',
      'could not change card: the script must leave code a string (got number)',
    ],
    [
      'returns no manifest',
      'export default () => ({ manifest: undefined });',
      'could not change card: the script must leave the manifest an object (got undefined)',
    ],
    [
      'returns half a surrogate pair',
      'export default () => ({ code: "\\ud800" });',
      'could not change card: the script must return code without unpaired surrogates',
    ],
  ])('that %s is an error (1), and nothing is written', async (_, script, message) => {
    const { code, out, err, text } = await edited(script);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain(`error: ${message}`);
    expect(text('manifest.json')).toBe(cardFiles()['manifest.json']);
  });

  it('has the position of its error in the JSON document too', async () => {
    const cwd = folderWith({ ...cardFiles(), 's.mjs': 'export default () => {\n  throw new Error("x");\n};' });
    const { out, err } = await run(['formula', 'edit', '.', '--script', 's.mjs', '--json'], { cwd });
    expect(out).toBe('');
    expect(JSON.parse(err).error).toEqual({
      code: 'failed',
      exit_code: 1,
      message: 'could not change .: x (s.mjs:2:9)',
      details: { folder: '.', name: 'Error', message: 'x', place: { file: 's.mjs', line: 2, column: 9 } },
    });
  });

  it('has its code checked before it is written, with bundling if needed', async () => {
    const { 'code.js': _, ...files } = cardFiles();
    const before = {
      ...files,
      'code.ts': 'export default async (req: object) => ({ raw: req });\n',
      'x.ts': 'export const x = 1;\n',
    };
    const broken = await edited(
      `export default ({ code }) => ({ code: 'import "./nowhere";\\n' + code });`,
      's.mjs',
      before,
    );
    expect(broken).toMatchObject({
      code: 3,
      out: '',
      err: expect.stringContaining('card/code.ts:1:8 error code-bundle'),
    });
    expect(broken.text('code.ts')).toBe(before['code.ts']);
    const fine = await edited(`export default ({ code }) => ({ code: 'import "./x";\\n' + code });`, 's.mjs', before);
    expect(fine).toMatchObject({ code: 0 });
    expect(fine.text('code.ts')).toBe(`import "./x";\n${before['code.ts']}`);
  });
});
