import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { generateDeclarations } from '../../src/code/declarations.ts';
import { BARE, cardFiles, folderWith, writeFiles } from '../helpers/folders.ts';
import { expectExit, run } from '../helpers/test-host.ts';

const TSC = join(import.meta.dirname, '../../node_modules/.bin/tsc');
const EXAMPLES = join(import.meta.dirname, '../../formulas-example');

const CONTRACT = {
  configuration: [
    { name: 'LIMIT', type: 'number' as const },
    { name: 'a-b', description: 'ends */ here', type: 'boolean' as const },
  ],
  request_parameters: [
    { name: 'card.number', type: 'string' as const },
    { name: 'card.expiry.year', type: 'number' as const, optional: true },
    { name: 'address.city', type: 'string' as const, optional: true },
    { name: 'save', type: 'boolean' as const, optional: true },
    { name: '1st', type: 'string' as const },
    { name: 'constructor', type: 'string' as const, optional: null },
  ],
};

function moveIntoFolder(cwd: string): void {
  mkdirSync(join(cwd, 'one'));
  for (const file of ['manifest.json', 'code.js']) renameSync(join(cwd, file), join(cwd, 'one', file));
}

const inFormula = (body: string) =>
  `import type { Formula } from './formula';\nexport const formula: Formula = async ({ args, configuration }) => {\n  ${body}\n  void args; void configuration;\n  return {};\n};\n`;

const KEEPS = `const number: string = args.card.number;
  const year: number | undefined = args.card.expiry?.year;
  const city: string | undefined = args.address?.city;
  const save: boolean | undefined = args.save;
  const first: string = args['1st'] + args.constructor;
  const limit: number = configuration.LIMIT;
  const on: boolean = configuration['a-b'];
  const more: unknown = args.more;
  interface Answer { number: string }
  const answer: Answer = { number };
  void [year, city, save, first, limit, on, more];
  if (save) return { raw: answer, tokenize: { data: number } };`;

const BREAKS: [string, string, string][] = [
  ['a number for a text', 'const n: number = args.card.number; void n;', "'string' is not assignable to type 'number'"],
  ['an optional one that may be missing', 'const n: number = args.card.expiry.year; void n;', 'possibly'],
  ['a setting that is not declared', 'void configuration.OTHER;', 'OTHER'],
  ['undeclared values, used unchecked', 'args.other.length;', 'unknown'],
];

describe('the types of a formula', () => {
  /** The errors of tsc for code files, each a module next to its generated types; one run, because tsc starts slowly. */
  let complaints: string[] = [];
  const about = (file: string) => complaints.filter((line) => line.startsWith(`${file}(`)).join('\n');

  beforeAll(() => {
    const breaks = BREAKS.map(([, body], i) => [`declared/breaks${i}.ts`, inFormula(body)]);
    const files: Record<string, string> = {
      'declared/formula.d.ts': generateDeclarations(CONTRACT),
      'declared/keeps.ts': inFormula(KEEPS),
      ...Object.fromEntries(breaks),
      'nothing/formula.d.ts': generateDeclarations(BARE),
      'nothing/any.ts': inFormula(
        "if (Array.isArray(args)) return { raw: { first: args[0] } };\n  void args['any'];\n  void args.undeclared;",
      ),
    };
    const cwd = mkdtempSync(join(tmpdir(), 'formulary-types-'));
    writeFiles(cwd, files);
    const flags = '--noEmit --strict --target es2021 --module esnext --moduleResolution bundler --types'.split(' ');
    const { stdout } = spawnSync(TSC, [...flags, '', ...Object.keys(files)], { cwd, encoding: 'utf8' });
    rmSync(cwd, { recursive: true });
    complaints = stdout.split('\n').filter((line) => line !== '' && !line.startsWith(' '));
  });

  it('accept code that matches the manifest', () => {
    expect(about('declared/keeps.ts')).toBe('');
  });

  it.each(BREAKS.map(([what, , words], i) => [what, `declared/breaks${i}.ts`, words] as const))(
    'reject %s',
    (_, file, words) => {
      expect(about(file)).toContain(words);
    },
  );

  it('accept any object or array if nothing is declared', () => {
    expect(about('nothing/any.ts')).toBe('');
  });

  it('are valid, and only code that does not match the manifest is an error', () => {
    expect(complaints.filter((line) => !line.startsWith('declared/breaks'))).toEqual([]);
  });
});

describe('formula types', () => {
  it('do not type parameters that are nested too deep for a compiler', () => {
    const name = Array.from({ length: 5000 }, () => 'a').join('.');
    const text = generateDeclarations({ configuration: [], request_parameters: [{ name, type: 'string' }] });
    expect(text.match(/ a: /g)).toHaveLength(100);
    expect(text).toContain(' a: unknown;\n');
  });

  it('writes formula.d.ts atomically, and again only if the manifest changed', async () => {
    const cwd = folderWith(cardFiles());
    expect(await run(['formula', 'types', '.'], { cwd })).toEqual({ code: 0, out: 'formula.d.ts\n', err: '' });
    const first = readFileSync(join(cwd, 'formula.d.ts'), 'utf8');
    expect(first).toContain('number: string');
    writeFiles(cwd, cardFiles({ request_parameters: [] }));
    expect(await run(['formula', 'types', '.'], { cwd })).toMatchObject({ code: 0 });
    expect(readFileSync(join(cwd, 'formula.d.ts'), 'utf8')).not.toBe(first);
    expect(readdirSync(cwd).sort()).toEqual(['code.js', 'formula.d.ts', 'manifest.json']);
  });

  it('requires no working code', async () => {
    const { 'code.js': _, ...files } = cardFiles({}, { 'code.ts': 'import x from "./not-yet";' });
    expect(await run(['formula', 'types', '.'], { cwd: folderWith(files) })).toMatchObject({ code: 0 });
  });

  it.each<[string, (cwd: string) => void, number, string]>([
    ['a manifest that is wrong', (cwd) => writeFileSync(join(cwd, 'manifest.json'), '{'), 3, 'manifest-syntax'],
    ['a folder of several', moveIntoFolder, 3, 'To publish all of them, run: formulary formula push .'],
    ['a file that someone wrote', (cwd) => writeFileSync(join(cwd, 'formula.d.ts'), 'mine'), 2, 'not generated'],
    ['a folder in its place', (cwd) => mkdirSync(join(cwd, 'formula.d.ts')), 2, 'EISDIR'],
  ])('changes nothing before %s', async (_, prepare, code, words) => {
    const cwd = folderWith(cardFiles());
    prepare(cwd);
    expectExit(await run(['formula', 'types', '.'], { cwd }), code, words, '');
    if (existsSync(join(cwd, 'formula.d.ts')) && words === 'not generated')
      expect(readFileSync(join(cwd, 'formula.d.ts'), 'utf8')).toBe('mine');
  });
});

describe('the real tsc', () => {
  it('accepts the templates in TypeScript', async () => {
    const cwd = folderWith();
    expect(await run(['formula', 'init', 'new', '--template', 'ts'], { cwd })).toMatchObject({ code: 0 });
    const files = '.gitattributes code.ts formula.d.ts manifest.json tests tsconfig.json';
    expect(readdirSync(join(cwd, 'new')).sort()).toEqual(files.split(' '));
    expect(execFileSync(TSC, ['-p', 'new'], { cwd, encoding: 'utf8' })).toBe('');
    const file = join(cwd, 'new/code.ts');
    const call = 'await fetch("https://a.example");\n  const greeting';
    writeFileSync(file, readFileSync(file, 'utf8').replace('const greeting', call));
    expect(spawnSync(TSC, ['-p', 'new'], { cwd, encoding: 'utf8' }).stdout).toContain("Cannot find name 'fetch'");
  });

  it('accepts the examples in TypeScript, whose types are current', async () => {
    const folders = readdirSync(EXAMPLES).filter((name) => existsSync(join(EXAMPLES, name, 'code.ts')));
    expect(folders.length).toBeGreaterThan(0);
    for (const name of folders) {
      const path = join(EXAMPLES, name);
      expect(execFileSync(TSC, ['-p', path], { encoding: 'utf8' })).toBe('');
      const manifest = JSON.parse(readFileSync(join(path, 'manifest.json'), 'utf8'));
      expect(readFileSync(join(path, 'formula.d.ts'), 'utf8')).toBe(generateDeclarations(manifest));
    }
  });
});
