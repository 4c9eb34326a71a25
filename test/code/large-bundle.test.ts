/** What is told of bundles that are too large to be analyzed at once. */
import { describe, expect, it } from 'vitest';
import { analyzeLargeBundle } from '../../src/code/large-bundle.ts';

const OWN = 'var code_default = async ({ args }) => ({ raw: { a: await fetch(args.url) } });';

const bundleOf = (modules: Record<string, string>, own = OWN) =>
  `${Object.entries({ ...modules, 'code.ts': own })
    .map(([name, code]) => `// ${name}\n${code}\n`)
    .join('\n')}\n// formula\nmodule.exports = code_default;\n`;

const LIMIT = 400;

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
      'asked for by a package',
      { 'node_modules/b/index.js': "if (typeof fetch === 'function') use(fetch);" },
      ['fetch'],
    ],
    ['used by a package', { 'node_modules/b/index.js': 'class B extends Headers {}' }, ['fetch']],
    ['set by a package', { 'node_modules/b/index.js': 'globalThis.fetch = () => {};' }, []],
  ])('knows about a global that is %s', (_, modules, expected) => {
    const { analysis } = analyzeLargeBundle(bundleOf({ 'node_modules/a/index.js': FILLING, ...modules }), LIMIT);
    expect(analysis?.missingApis.map(({ what }) => what)).toEqual(expected);
  });

  it('has no facts if its own files are too large, or it is another script', () => {
    expect(analyzeLargeBundle(bundleOf({}, `${FILLING}${FILLING}${OWN}`), LIMIT).analysis).toBeUndefined();
    expect(analyzeLargeBundle(`${FILLING}\n${OWN}`, LIMIT).analysis).toBeUndefined();
  });
});
