/** Who may import whom, and who owns which outside thing. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const SRC = join(import.meta.dirname, '../src');

/** Rooms of src and the rooms they may import from, besides themselves and the modules at the top. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  api: ['host'],
  files: [],
  folder: ['generated', 'files'],
  host: [],
  output: ['text'],
  code: ['files', 'git', 'host'],
  git: [],
  rules: ['folder', 'code', 'text'],
  run: ['generated', 'files', 'folder', 'code', 'host'],
  state: ['files', 'folder'],
  settings: ['state'],
  sync: ['api', 'files', 'folder', 'state'],
  service: ['generated', 'folder', 'host'],
  report: ['files', 'output', 'rules'],
  completion: ['output', 'service', 'state', 'templates'],
  templates: ['code', 'folder'],
  text: [],
  commands: [
    'api',
    'files',
    'folder',
    'host',
    'output',
    'code',
    'rules',
    'run',
    'settings',
    'state',
    'sync',
    'service',
    'report',
    'completion',
    'templates',
  ],
};

/** Modules at the top of src that any room may import; the others run the program. */
const TOP_FOR_ALL = [
  'model.ts',
  'content.ts',
  'digest.ts',
  'errors.ts',
  'file-error.ts',
  'shell-word.ts',
  'host.ts',
  'api-key.ts',
  'settings.ts',
  'regular-file.ts',
  'spelling.ts',
  'topics.ts',
  'positions.ts',
  'steady-clock.ts',
  'parallel.ts',
  'command-table.ts',
];

/** Outside things, and the one place (or the places) where each is used. */
const OWNERS: Record<string, readonly string[]> = {
  undici: ['api/undici.ts', 'api/undici-parts.d.ts'],
  acorn: ['code/'],
  meriyah: ['code/parse.ts'],
  esbuild: ['code/bundle.ts', 'code/bundle/', 'code/esbuild.ts'],
  'jsonc-parser': ['folder/jsonc.ts'],
  'cli-table3': ['output/table.ts'],
  'string-width': ['output/'],
  diff: ['output/text-diff.ts'],
  chalk: ['output/style.ts'],
  '@clack/prompts': ['prompt.ts'],
  hono: ['service/'],
  '@hono/node-server': ['service/listen.ts'],
  libsql: ['service/'],
  '@commander-js/extra-typings': ['program.ts', 'command-table.ts', 'commands/flags.ts'],
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

const roomOf = (file: string) => (file.includes('/') ? (file.split('/')[0] ?? '') : '');

const ownImports = sources.flatMap(({ file, imports }) =>
  imports
    .filter((name) => name.startsWith('.'))
    .map((name) => ({ file, target: relative(SRC, join(SRC, dirname(file), name)) })),
);

describe('the rooms of src', () => {
  it('are all in the table', () => {
    const rooms = new Set(sources.map(({ file }) => roomOf(file)).filter(Boolean));
    expect([...rooms].sort()).toEqual(Object.keys(MAY_IMPORT).sort());
  });

  it('import only from the rooms that the table allows', () => {
    const wrong = ownImports.filter(({ file, target }) => {
      const [from, to] = [roomOf(file), roomOf(target)];
      return from !== '' && to !== '' && from !== to && !MAY_IMPORT[from]?.includes(to);
    });
    expect(wrong).toEqual([]);
  });

  it('take from the top only what is meant for all', () => {
    const wrong = ownImports.filter(
      ({ file, target }) => roomOf(file) !== '' && roomOf(target) === '' && !TOP_FOR_ALL.includes(target),
    );
    expect(wrong).toEqual([]);
  });

  it('leave the program table to the commands', () => {
    const wrong = ownImports.filter(
      ({ file, target }) => target === 'command-table.ts' && !['commands', ''].includes(roomOf(file)),
    );
    expect(wrong).toEqual([]);
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
      /\bprocess\.(?!stdin'|stdout')/,
      [
        'host.ts',
        'host/node-options.ts',
        'streams.ts',
        'process-mark.ts',
        'cli.ts',
        'digest.ts',
        'run/child.ts',
        'run/spawn.ts',
      ],
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
    expect(users.filter((file) => !owners.includes(file))).toEqual([]);
  });

  it('the key is opened in the transport, and where it is kept; the password of a proxy on the road to it', () => {
    const opening = sources.flatMap(({ file, text }) =>
      [...text.matchAll(/\b(\w+)\.open\(\)/g)].map(([, secret]) => `${file} opens ${secret}`),
    );
    expect(opening.sort()).toEqual([
      'api/road.ts opens password',
      'api/transport.ts opens key',
      'state/profiles.ts opens key',
    ]);
  });
});
