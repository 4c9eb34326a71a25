/** The package as users get it: packed, installed into an empty folder without a network, and started there. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { hostname, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installPacked, type Packed, runPacked } from './helpers/packed-tool.ts';

const PROJECT = join(import.meta.dirname, '..');
const EXAMPLES = join(PROJECT, 'formulas-example');

let place = '';
let packed: Packed = { version: '', filename: '', unpackedSize: 0, files: [] };

const INSTALLED = 'node_modules/formulary-cli';

/** What is in each file of dist, as the build notes it. */
const DIST_FILES: Record<string, string[]> = JSON.parse(
  readFileSync(join(PROJECT, 'src/generated/dist-files.json'), 'utf8'),
);

/** Every file of the installed package. */
const shipped = () =>
  packed.files.map(({ path: file }) => ({ file, text: readFileSync(join(place, INSTALLED, file), 'utf8') }));

const tool = (...words: string[]) => runPacked(place, words);

/** The home folder and the name of the current user; empty for a user that the system does not know, as in containers. */
function userTraces(): string[] {
  try {
    const { username, homedir } = userInfo();
    return homedir === '/root' ? ['/root/'] : [homedir, `/${username}/`];
  } catch {
    return [];
  }
}

beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), 'formulary-packed-'));
  packed = installPacked(place);
}, 60_000);

afterAll(() => rmSync(place, { recursive: true, force: true }));

describe('the package', () => {
  it('contains the tool and its packages, and no sources, tests, or maps', () => {
    const paths = packed.files.map(({ path }) => path);
    const built = paths.filter((path) => /^dist\/[\w/-]+\.js$/.test(path));
    expect(built).toContain('dist/load.js');
    // A file that is left from another build would be shipped too.
    expect(built.map((path) => path.slice('dist/'.length)).sort()).toEqual(Object.keys(DIST_FILES).sort());
    expect(paths.filter((path) => !built.includes(path)).sort()).toEqual([
      'LICENSE',
      'README.md',
      'bin/formulary.js',
      'dist/licenses.txt',
      'package.json',
      ...readdirSync(join(PROJECT, 'schema'))
        .sort()
        .map((file) => `schema/${file}`),
    ]);
    for (const { size } of packed.files) expect(size).toBeGreaterThan(0);
  });

  it('contains neither the folder nor the user of the build, and no source map reference', () => {
    const traces = [PROJECT, tmpdir(), hostname(), ...userTraces()];
    // Examples of a help are not a leak.
    const texts = shipped().map(({ text }) => text.replaceAll('/tmp/try.db', ''));
    for (const trace of ['.js.map', 'file:///', ...traces.filter((word) => word.length > 4)]) {
      expect(texts.filter((text) => text.includes(trace))).toEqual([]);
    }
  });

  it('contains the license of each bundled package, as listed in docs/decisions.md', () => {
    const licences = shipped().find(({ file }) => file === 'dist/licenses.txt')?.text ?? '';
    const named = [...licences.matchAll(/^(\S+) \d\S* \(([^)]+)\)$/gm)].map(([, name = '', kind = '']) => ({
      name,
      kind,
    }));
    const inputs = Object.values(DIST_FILES).flat();
    const bundled = inputs.flatMap((input) => /^.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1] ?? []);
    // Of ajv there is what the compiled schema needs.
    expect(named.map(({ name }) => name).sort()).toEqual([...new Set([...bundled, 'ajv'])].sort());
    expect(named.filter(({ kind }) => !/^(MIT|ISC|BSD-[23]-Clause|Apache-2\.0|0BSD)$/.test(kind))).toEqual([]);
    const decisions = readFileSync(join(PROJECT, 'docs/decisions.md'), 'utf8').split('\n## Dependencies\n')[1] ?? '';
    const listed = new Set((decisions.split('\nOptional,')[0] ?? '').match(/[\w@][\w@/-]*\w/g));
    expect(named.filter(({ name }) => !listed.has(name))).toEqual([]);
  });

  const manifestOf = (folder: string) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

  it('has no install scripts, nor do its packages', () => {
    const { scripts, dependencies } = manifestOf(join(place, INSTALLED));
    expect(Object.keys(scripts).filter((name) => /install/.test(name))).toEqual([]);
    expect(dependencies).toBeUndefined();
    const { packages } = JSON.parse(readFileSync(join(PROJECT, 'package-lock.json'), 'utf8'));
    const shipped = Object.entries<{ dev?: boolean; hasInstallScript?: boolean }>(packages).filter(
      ([, { dev }]) => !dev,
    );
    expect(shipped.length).toBeGreaterThan(20);
    expect(shipped.filter(([, { hasInstallScript }]) => hasInstallScript)).toEqual([]);
  });

  it('requires the esbuild programs in the version of its API', () => {
    const { optionalDependencies } = manifestOf(join(place, INSTALLED));
    const { libsql: _, ...programs } = optionalDependencies;
    expect(programs).toEqual(manifestOf(join(PROJECT, 'node_modules/esbuild')).optionalDependencies);
  });

  it('unpacks to less than 2 MB', () => {
    expect(packed.unpackedSize).toBeLessThan(2_000_000);
  });

  it('installs no other package', () => {
    const names = readdirSync(join(place, 'node_modules')).filter((name) => !name.startsWith('.'));
    expect(names).toEqual(['formulary-cli']);
  });
});

describe('the installed tool', () => {
  it('prints its version, which is that of the package', () => {
    expect(tool('--version')).toEqual({ status: 0, stdout: `${packed.version}\n`, stderr: '' });
  });

  const examplesWith = (file: string) =>
    readdirSync(EXAMPLES)
      .map((name) => join(EXAMPLES, name))
      .filter((folder) => existsSync(join(folder, file)));

  it('reports a missing package for code.ts, and how to install it', () => {
    expect(tool('formula', 'validate', ...examplesWith('code.ts'))).toMatchObject({
      status: 3,
      stderr: '',
      stdout: expect.stringMatching(/esbuild.* is not installed → To install it, run: npm ci --include=optional$/m),
    });
  });

  it('reports a missing package for the embedded service, and how to install it', () => {
    const { status, stdout, stderr } = tool('formula', 'list', '--local');
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/libsql is not installed\nhint: To install it, run: npm ci --include=optional\n$/);
  });
});
