/** The generated documents are current, and every example in a help works. `npx vitest run test/docs.test.ts -u` regenerates them. */
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { listCommandPaths } from '../src/cli/command-table.ts';
import { allRules } from '../src/rules/all.ts';
import { cardFiles, folderWith, inFolder } from './helpers/folders.ts';
import { json, loopback } from './helpers/loopback.ts';
import { expectExit, type HostOptions, run } from './helpers/test-host.ts';

const COMMANDS = listCommandPaths().map((path) => path.join(' '));

const helpOf = async (command: string) => (await run([...command.split(' ').filter(Boolean), '--help'])).out;

describe('docs/promises.md', () => {
  it('contains existing tests', () => {
    const text = readFileSync(join(import.meta.dirname, '../docs/promises.md'), 'utf8');
    const named = [...text.matchAll(/^- `(test\/[^`]+)`: (.*)$/gm)].flatMap(([, file = '', titles = '']) =>
      [...titles.matchAll(/"([^"]+)"/g)].map(([, title = '']) => ({ file, title })),
    );
    expect(named.length).toBeGreaterThan(30);
    const missing = named.filter(({ file, title }) => {
      return !readFileSync(join(import.meta.dirname, '..', file), 'utf8').includes(`('${title}'`);
    });
    expect(missing).toEqual([]);
  });
});

describe('docs/rules.md', () => {
  it('is generated from the rules', async () => {
    const rows = allRules.map(
      ({ id, level, description }) => `| \`${id}\` | ${level} | ${description.replaceAll('|', '\\|')} |`,
    );
    const text = `# Rules of \`formulary formula validate\`

| level | meaning |
| --- | --- |
| error | the service or Node.js 16 rejects it; \`validate\` exits with 3 |
| warning | probably a mistake; exits with 3 only with \`--strict\` |
| note | good to know; printed with \`--verbose\`, and in reports |

Rules report only what can be proven from the files of the folder.

| rule | level | description |
| --- | --- | --- |
${rows.join('\n')}
`;
    await expect(text).toMatchFileSnapshot('../docs/rules.md');
  });
});

describe('docs/commands.md', () => {
  it('is generated from the help', async () => {
    const sections = await Promise.all(
      ['', ...COMMANDS].map(
        async (command) =>
          `## formulary${command && ` ${command}`}\n\n\`\`\`\n${(await helpOf(command)).trim()}\n\`\`\`\n`,
      ),
    );
    const topics = await Promise.all(
      ['exit-codes', 'environment', 'output', 'files'].map(
        async (topic) => `## formulary help ${topic}\n\n\`\`\`\n${(await run(['help', topic])).out.trim()}\n\`\`\`\n`,
      ),
    );
    const reference = (await run(['help', 'reference'])).out;
    const shared = `## Shared flags\n\n\`\`\`\n${reference.slice(reference.indexOf('Flags for output:')).trim()}\n\`\`\`\n`;
    await expect(
      `# Commands\n\nThe help of every command, as the tool prints it.\n\n${[...sections, shared, ...topics].join('\n')}`,
    ).toMatchFileSnapshot('../docs/commands.md');
  });
});

describe('the exit codes of the README', () => {
  it('are those of the tool', async () => {
    const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8').replace(/ +/g, ' ');
    const { out } = await run(['help', 'exit-codes']);
    const codes = [...out.matchAll(/^ +(\d+) +(\w+)/gm)].map(([, code, name]) => `${code} | ${name}`);
    expect(codes.length).toBeGreaterThan(10);
    for (const code of codes.filter((row) => !/differs|interrupted/.test(row))) expect(readme).toContain(`| ${code} |`);
  });
});

describe('the README', () => {
  const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');

  it('has at most 150 lines', () => expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(150));

  it('lists every command with the summary of its help', async () => {
    const helps = await Promise.all(
      ['', 'formula', 'auth', 'service', 'service application', 'permissions'].map(helpOf),
    );
    const summaries = helps.join('').match(/(?<=^ {2}[a-z]+ {2,})[A-Z].*$/gm) ?? [];
    const rows = [...readme.matchAll(/^\| `([^`]+)` +\| ([A-Z].*?) +\|$/gm)];
    expect(rows.map(([, words = '']) => words.replace(/ [A-Zbf[].*$/, '')).sort()).toEqual([...COMMANDS].sort());
    for (const [, , summary] of rows) expect(summaries).toContain(summary);
  });

  it('has tables that fit 100 columns', () => {
    expect(readme.split('\n').filter((line) => line.startsWith('|') && line.length > 100)).toEqual([]);
  });
});

/** Examples that serve for ever, reach a host, or name an id that is made up. */
const NOT_RUN = ['service start', 'formula dev', 'auth login', 'service application delete', 'formula link'];

/** An example line as its words; quotes as a shell reads them, `> file` left out. */
const wordsOf = (line: string) =>
  [...line.replace(/ > \S+$/, '').matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, quoted, single, bare]) => quoted ?? single ?? bare ?? '',
  );

/** A case that the card formula fulfils. */
const CASES = {
  'tests/cards.json': JSON.stringify({
    name: 'invalid card',
    args: { card: { number: '4' } },
    configuration: { BRANDS: 'visa' },
    expect: { partial: true, tokenize: { data: { args: { card: { number: '4' } } } } },
  }),
};

/** Where the examples are run: two formulas, and what run is given. */
const PLACE = {
  ...inFolder('my-formula', cardFiles({}, CASES)),
  ...inFolder('formulas/one', cardFiles({}, CASES)),
  'args.json': '{"card":{"number":"4242"}}',
  'configuration.json': '{"BRANDS":"visa"}',
  'normalize.mjs': 'export default ({ manifest }) => ({ manifest: { ...manifest, description: "x" } });',
};

describe('every example of a help', () => {
  let cwd = '';
  beforeEach(() => {
    cwd = folderWith();
  });

  it.each(COMMANDS.filter((command) => !NOT_RUN.includes(command)))('of %s works', async (command) => {
    const examples = [...(await helpOf(command)).matchAll(/^ {2}formulary (.+)$/gm)].map(([, line = '']) =>
      wordsOf(line),
    );
    expect(examples.length).toBeGreaterThan(0);
    for (const words of examples) {
      const place = join(cwd, String(examples.indexOf(words)));
      if (command !== 'formula init') {
        cpSync(folderWith(PLACE), place, { recursive: true });
      } else {
        cpSync(folderWith({ x: '' }), place, { recursive: true });
      }
      const env = command.startsWith('auth')
        ? await withProfiles(place)
        : { FORMULARY_LOCAL_DATA: join(place, 'local.db'), FORMULARY_PROFILE: 'local', XDG_STATE_HOME: folderWith() };
      const hostOptions = { cwd: place, env, ...(command !== 'formula init' && { answers: ['y'] }) };
      const kept = await prepared(command, hostOptions);
      const typed = words.map((word) => (word === 'ENTRY' ? kept : word));
      const { code, err } = await run(typed, hostOptions);
      // It shows what there is to do.
      const expected = command === 'formula edit' && words.includes('--dry-run') ? 10 : 0;
      expect({ words, code, err: code === expected ? '' : err }).toEqual({ words, code: expected, err: '' });
    }
  });
});

/** Runs the commands that an example requires; returns the id of a history entry, if there is one. */
async function prepared(command: string, hostOptions: HostOptions): Promise<string> {
  const before: Record<string, string[][]> = {
    'formula get': [['create', 'my-formula']],
    'formula update': [['create', 'my-formula']],
    'formula delete': [['create', 'my-formula']],
    'formula diff': [['push', 'formulas']],
    'formula push': [['diff', 'formulas', '--out', 'plan.json']],
    'formula pull': [['create', 'my-formula']],
    'formula history': [
      ['create', 'my-formula'],
      ['delete', 'Tokenize a card', '--yes'],
    ],
    'formula restore': [
      ['create', 'my-formula'],
      ['delete', 'Tokenize a card', '--yes'],
    ],
  };
  for (const words of before[command] ?? []) await run(['formula', ...words], hostOptions);
  return JSON.parse((await run(['formula', 'history', '--json'], hostOptions)).out)[0]?.entry ?? '';
}

/** A configuration folder in which a service has two profiles. */
async function withProfiles(folder: string): Promise<Record<string, string>> {
  const { url } = await loopback((_, response) => json(response, 200, { data: [] }));
  const env = { XDG_CONFIG_HOME: folder };
  for (const name of ['default', 'test'])
    await run(['auth', 'login', '--base-url', url, '--profile', name], { env, stdin: 'key_of-the-example' });
  return env;
}

describe('help topics', () => {
  it.each(['exit-codes', 'environment', 'output', 'files'])('%s go to stdout with 0', async (topic) => {
    const { code, out, err } = await run(['help', topic]);
    expectExit({ code, err }, 0, '');
    expect(out.length).toBeGreaterThan(100);
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    const narrow = await run(['help', topic], { columns: 40 });
    for (const line of narrow.out.split('\n')) expect(line.length, line).toBeLessThanOrEqual(40);
  });

  it.each([[['help', 'me']], [['help', 'formula', 'mak']], [['formula', 'help', 'creat']]])(
    'that do not exist are usage errors: %j',
    async (argv) => {
      expect(await run(argv)).toMatchObject({ code: 2, out: '', err: expect.stringContaining(argv.at(-1) ?? '') });
    },
  );
});
