/** Who may import whom, and who owns which outside thing. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const SRC = join(import.meta.dirname, '../src');

/** Folders of src and the folders they may import from, in addition to themselves and the modules at the top. */
const MAY_IMPORT: Record<string, string> = {
  text: '',
  output: 'host text',
  host: '',
  git: '',
  files: 'host text',
  secrets: 'files host output text',
  folder: 'files generated text',
  code: 'files git host text',
  rules: 'code folder text',
  check: 'code files folder host rules state text',
  run: 'check code files folder generated host output text',
  state: 'files host secrets text',
  settings: 'files host output secrets state text',
  api: 'host settings text',
  sync: 'api check code files folder generated git host output secrets settings state text',
  edit: 'check code files folder generated host output rules run text',
  service: 'files generated host text',
  dev: 'check code files folder generated host output rules run service text',
  report: 'files host output rules text',
  templates: 'folder generated',
  completion: 'cli edit generated host output service state templates',
  doctor: 'api code files folder host run service session settings state sync text views',
  views: 'check edit files folder host output report rules run settings state sync text',
  session: 'api check files folder git host output report secrets service settings state sync text views',
  cli: 'commands secrets host output session text settings files state service',
  commands:
    'api check code completion dev doctor edit files folder host output session cli git secrets report ' +
    'rules run service settings state sync templates text views',
};

/** Every file at the top of src; the first three may be imported from any folder. */
const TOP_FOR_ALL = ['model.ts', 'errors.ts', 'formula-fields.ts'];
const TOP = [...TOP_FOR_ALL, 'cli.ts', 'main.ts'];

/** Outside things, and the one place (or the places) where each is used. */
const OWNERS: Record<string, readonly string[]> = {
  undici: ['api/http/undici.ts', 'api/http/undici-parts.d.ts'],
  acorn: ['code/'],
  meriyah: ['code/parse/parse.ts'],
  esbuild: ['code/bundle/'],
  'jsonc-parser': ['text/jsonc.ts'],
  'cli-table3': ['output/table.ts'],
  'string-width': ['output/'],
  diff: ['output/text-diff.ts'],
  chalk: ['output/style.ts'],
  '@clack/prompts': ['host/terminal-prompt.ts'],
  hono: ['dev/'],
  '@hono/node-server': ['service/listen.ts'],
  libsql: ['service/store/'],
  '@commander-js/extra-typings': ['cli/', 'session/'],
};

interface Source {
  file: string;
  text: string;
  imports: string[];
}

const sources: Source[] = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.ts$/.test(file) && !file.startsWith('generated'))
  .map((file) => {
    const text = readFileSync(join(SRC, file), 'utf8');
    const imports = [
      ...text.matchAll(/^(?:import|export)\s[^;]*?from '([^'\n]+)'/gm),
      ...text.matchAll(/import\('([^'\n]+)'\)/g),
    ].map(([, name = '']) => name);
    return { file, text, imports };
  });

const folderOf = (file: string) => (file.includes('/') ? (file.split('/')[0] ?? '') : '');

const ownImports = sources.flatMap(({ file, imports }) =>
  imports
    .filter((name) => name.startsWith('.'))
    .map((name) => ({ file, target: relative(SRC, join(SRC, dirname(file), name)) })),
);

describe('the folders of src', () => {
  it('are all in the table', () => {
    const folders = new Set(sources.map(({ file }) => folderOf(file)).filter(Boolean));
    expect([...folders].sort()).toEqual(Object.keys(MAY_IMPORT).sort());
  });

  it('import only from the folders that the table allows', () => {
    const wrong = ownImports.filter(({ file, target }) => {
      const [from, to] = [folderOf(file), folderOf(target)];
      return from !== '' && to !== '' && from !== to && !MAY_IMPORT[from]?.split(' ').includes(to);
    });
    expect(wrong).toEqual([]);
  });

  it('import only shared modules from the top', () => {
    const wrong = ownImports.filter(
      ({ file, target }) => folderOf(file) !== '' && folderOf(target) === '' && !TOP_FOR_ALL.includes(target),
    );
    expect(wrong).toEqual([]);
  });

  it('leave only the listed files at the top', () => {
    const top = sources.map(({ file }) => file).filter((file) => folderOf(file) === '');
    expect(top.sort()).toEqual([...TOP].sort());
  });
});

describe('the modules of src', () => {
  it('import each other without a cycle, type imports included', () => {
    const targetsOf = (file: string) => ownImports.filter((edge) => edge.file === file).map(({ target }) => target);
    const done = new Set<string>();
    const findCycle = (file: string, path: readonly string[]): readonly string[] | undefined => {
      if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
      if (done.has(file)) return undefined;
      for (const target of targetsOf(file)) {
        const cycle = findCycle(target, [...path, file]);
        if (cycle) return cycle;
      }
      done.add(file);
      return undefined;
    };
    expect(sources.map(({ file }) => findCycle(file, [])).find(Boolean)).toBeUndefined();
  });
});

describe('results', () => {
  it.each(['check', 'sync', 'api', 'run', 'rules', 'code', 'folder'])('are returned, not printed, by %s', (folder) => {
    const printing = sources.filter(
      ({ file, text }) => file.startsWith(`${folder}/`) && /\bstd(out|err)\.write\(/.test(text),
    );
    expect(printing.map(({ file }) => file)).toEqual([]);
  });

  it('are shown by views that read no files', () => {
    const reading = sources.filter(({ file, imports }) => file.startsWith('views/') && imports.includes('node:fs'));
    expect(reading.map(({ file }) => file)).toEqual([]);
  });
});

describe('outside things', () => {
  it('have one owner each', () => {
    const wrong = sources.flatMap(({ file, imports }) =>
      imports
        .filter((name) => !name.startsWith('.') && !name.startsWith('node:'))
        .filter((name) => {
          const thing = Object.keys(OWNERS).find((known) => name === known || name.startsWith(`${known}/`));
          return !thing || !OWNERS[thing]?.some((owner) => file.startsWith(owner));
        })
        .map((name) => `${file} imports ${name}`),
    );
    expect(wrong).toEqual([]);
  });

  it.each([
    [
      'process',
      /(?<!-)\bprocess\.(?!stdin'|stdout')/,
      `host/process-host.ts host/node-options.ts host/streams.ts host/process-identity.ts cli.ts text/hash.ts run/child.ts
        run/child/clock.ts run/child/outcome.ts run/child/process-state.ts run/child-process.ts`.split(/\s+/),
    ],
    ['console', /\bconsole\./, []],
    // Windows refuses a rename while another program has the file open.
    ['renameSync', /\brenameSync\b/, ['files/rename.ts']],
    // One path for a folder, however its letter case was typed.
    ['realpathSync', /\brealpathSync\b/, ['files/paths.ts']],
    // `/` and `\`, which are compared and converted in one place.
    ['the path separator', /\bsep\b/, ['files/paths.ts']],
  ] as const)('%s is used by its owners alone', (_, pattern, owners: readonly string[]) => {
    const users = sources
      .filter(({ text }) => pattern.test(text.replace(/\/\*[\s\S]*?\*\/|\/\/.*|`[^`]*`/g, '')))
      .map(({ file }) => file);
    expect(users.sort()).toEqual([...owners].sort());
  });

  it('the key is revealed only in the transport and where it is stored; the password of a proxy only on the route to it', () => {
    const opening = sources.flatMap(({ file, text }) =>
      [...text.matchAll(/\b(\w+).reveal\(\)/g)].map(([, secret]) => `${file} opens ${secret}`),
    );
    expect(opening.sort()).toEqual([
      'api/http/route.ts opens password',
      'api/http/transport.ts opens key',
      'state/profiles.ts opens key',
    ]);
  });
});
