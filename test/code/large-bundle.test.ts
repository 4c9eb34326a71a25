import { describe, expect, it } from 'vitest';
import { analyzeLargeBundle } from '../../src/code/large-bundle.ts';

const OWN = 'var code_default = async ({ args }) => ({ raw: { a: await fetch(args.url) } });';

const bundleOf = (modules: Record<string, string>, own = OWN) =>
  `${Object.entries({ ...modules, 'code.ts': own })
    .map(([name, code]) => `// ${name}\n${code}\n`)
    .join('\n')}\n// formula\nmodule.exports = code_default;\n`;

const LIMIT = 400;

const lackingIn = (modules: Record<string, string>, own?: string) =>
  analyzeLargeBundle(bundleOf(modules, own), LIMIT).analysis?.missingApis.map(
    ({ what, packageName, failsAtLoad }) => `${packageName ?? 'own'}: ${what}${failsAtLoad ? ' at load' : ''}`,
  );

const FILLING = `var text = '${'x'.repeat(300)}';`;

describe('a large bundle', () => {
  it('has the facts of the own files, at their positions', () => {
    const text = bundleOf({ 'node_modules/a/index.js': FILLING, 'node_modules/b/index.js': FILLING });
    const { analysis } = analyzeLargeBundle(text, LIMIT);
    expect(analysis).toMatchObject({
      moduleExport: { kind: 'function', asynchronous: 'yes' },
      missingApis: [{ what: 'fetch', at: text.indexOf('fetch(') }],
    });
    expect(analysis?.requestUsage?.reads.some(({ path }) => path.join('.') === 'args.url')).toBe(true);
  });

  it.each<[string, Record<string, string>, string[]]>([
    [
      'not guarded by a package',
      { 'node_modules/a/index.js': FILLING, 'node_modules/b/index.js': "if (typeof fetch === 'function') use(fetch);" },
      ['own: fetch'],
    ],
    ['set by a package', { 'node_modules/a/index.js': `${FILLING}\nglobalThis.fetch = () => {};` }, []],
    [
      'set by a function that nobody calls',
      { 'node_modules/a/index.js': `${FILLING}\nfunction install() { globalThis.fetch = 1; }` },
      ['own: fetch'],
    ],
    [
      'used by a package when it is loaded',
      { 'node_modules/a/index.js': FILLING, 'node_modules/b/index.js': 'class B extends Headers {}' },
      ['b: Headers at load', 'own: fetch'],
    ],
    [
      'asked for in another file of a package that is large itself',
      {
        'node_modules/a/1.js': FILLING,
        'node_modules/a/2.js': "var has = typeof Headers === 'function';",
        'node_modules/a/3.js': `${FILLING}\nvar own = has && Headers;`,
      },
      ['own: fetch'],
    ],
  ])('knows about a global that is %s', (_, modules, told) => {
    expect(lackingIn(modules)).toEqual(told);
  });

  it('knows about a global that is set by a function that the formula calls', () => {
    const modules = { 'node_modules/a/index.js': `${FILLING}\nfunction install() { globalThis.fetch = 1; }` };
    expect(lackingIn(modules, `install();\n${OWN}`)).toEqual([]);
  });

  it('has no facts if its own files are too large, or it is another script', () => {
    expect(analyzeLargeBundle(bundleOf({}, `${FILLING}${FILLING}${OWN}`), LIMIT).analysis).toBeUndefined();
    expect(analyzeLargeBundle(`${FILLING}\n${OWN}`, LIMIT).analysis).toBeUndefined();
  });
});
