/** The order of the output: notes and warnings, the result on stdout, the summary, then what to do next. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { main } from '../../src/main.ts';
import { CARD_CODE, cardFiles, folderWith, inFolder } from '../helpers/folders.ts';
import { run, testHost } from '../helpers/test-host.ts';

/** Runs one command; returns the lines of stderr before and after the result on stdout. */
async function runInOrder(words: readonly string[], hostOptions: Parameters<typeof testHost>[0]) {
  const { host } = testHost(hostOptions);
  const writes: { stream: string; text: string }[] = [];
  for (const stream of ['stdout', 'stderr'] as const)
    host[stream] = { ...host[stream], write: (text) => void writes.push({ stream, text }) };
  await main(words, host);
  const last = writes.findLastIndex(({ stream }) => stream === 'stdout');
  const toLines = (part: typeof writes) =>
    part
      .filter(({ stream }) => stream === 'stderr')
      .map(({ text }) => text)
      .join('')
      .split('\n')
      .filter(Boolean);
  return { before: toLines(writes.slice(0, last)), after: toLines(writes.slice(last + 1)) };
}

function newHostOptions() {
  const cwd = folderWith({ ...inFolder('card', cardFiles()), ...inFolder('bank', cardFiles({ name: 'Bank' })) });
  return { cwd, env: { XDG_STATE_HOME: folderWith(), XDG_DATA_HOME: folderWith() } };
}

type HostOptions = ReturnType<typeof newHostOptions>;

const SERVICE = 'Service: the embedded service';

const push = (hostOptions: HostOptions) =>
  run(['formula', 'push', 'card', 'bank', '--local', '--no-lock'], hostOptions);
const change = ({ cwd }: HostOptions) => writeFileSync(join(cwd, 'card/code.js'), `${CARD_CODE}// changed\n`);
const update = async (hostOptions: HostOptions) => {
  await push(hostOptions);
  change(hostOptions);
};

const link = (hostOptions: HostOptions) => run(['formula', 'push', 'card', '--local'], hostOptions);
const RESTORE = 'restore Tokenize%a%card --yes --local';

it.each<[string, ((hostOptions: HostOptions) => unknown)[], string, RegExp[]]>([
  ['create', [], 'create card --local', [/^Created formula "Tokenize a card" \(\S+\)$/]],
  [
    'update',
    [update],
    'update card --local',
    [/^Updated formula "Tokenize a card": code$/, /^To restore the previous/],
  ],
  ['update --dry-run', [update], 'update card --dry-run --local', [/^Would update: code$/]],
  [
    'restore',
    [update, link],
    RESTORE,
    [/": code$/, /^The folder card is linked/, /^To write the restored/, /^To publish/],
  ],
  ['delete', [push], 'delete Bank --yes --local', [/^Deleted formula "Bank"/, /^To restore it, run: \S/]],
  [
    'delete of several',
    [push],
    'delete Bank Tokenize%a%card --yes --local',
    [/^2 deleted$/, /^To restore .*: formulary formula restore --run \w+ --local$/],
  ],
  ['push', [], 'push card bank --local --no-lock', [/^2 created on the embedded service$/]],
  ['push of nothing', [push], 'push card --local --no-lock', [/^nothing to do: 1 up to date on the embedded service$/]],
  [
    'diff',
    [update],
    'diff card bank --local',
    [/^0 to create, 1 to update, 1 up to date/, /^next: formulary formula push/],
  ],
  ['pull', [push], 'pull --dir new --local', [/^2 written$/]],
  ['validate', [], 'validate card bank', [/^2 valid, 0 invalid$/]],
  [
    'edit',
    [],
    'edit card --set description=New',
    [/^1 edited$/, /^next: formulary formula diff/, /^next: \w+ formula push/],
  ],
  [
    'restore to a folder elsewhere',
    [update, link],
    RESTORE,
    [
      /^Restored/,
      /^The folder \.\.\/card is/,
      /^To write .* pull \S+ --dir \.\. --force --local$/,
      /push \.\.\/card --force/,
    ],
  ],
  ['history', [], 'history', [/^no saved versions$/]],
])('%s prints the result, then its summary, then what to do next', async (name, steps, words, lines) => {
  const hostOptions = newHostOptions();
  for (const step of steps) await step(hostOptions);
  const args = words.split(' ').map((word) => word.replaceAll('%', ' '));
  const cwd = name.includes('elsewhere') ? join(hostOptions.cwd, 'bank') : hostOptions.cwd;
  const { before, after } = await runInOrder(['formula', ...args], { ...hostOptions, cwd });
  const isNamed = !['validate', 'edit', 'history'].includes(name);
  expect(before.filter((line) => !/^(note|warning): /.test(line))).toEqual(isNamed ? [SERVICE] : []);
  expect(after).toEqual(lines.map((line) => expect.stringMatching(line)));
});

it.each(['validate', 'test', 'diff --local'])('%s of no formula prints that there is nothing to do', async (words) => {
  const cwd = folderWith({ 'README.md': '' });
  const args = ['formula', ...words.split(' '), '--paths-from', '-'];
  expect(await run(args, { cwd })).toEqual({ code: 0, out: '', err: 'nothing to do\n' });
  const file = await run(['formula', ...words.split(' '), 'README.md'], { cwd });
  expect(file).toEqual({ code: 0, out: '', err: 'note: skipped README.md: not in a formula folder\nnothing to do\n' });
});

it('notes and summaries are silent with --json, unless --verbose or --debug is set', async () => {
  const hostOptions = newHostOptions();
  const pushed = async (...flags: string[]) =>
    (await run(['formula', 'push', 'card', '--local', '--no-lock', '--json', ...flags], hostOptions)).err;
  expect(await pushed()).toBe('');
  expect(await pushed('--verbose')).toMatch(/\nnothing to do: 1 up to date on the embedded service\n$/);
  expect(await pushed('--debug')).toMatch(/^Service: .*\n> GET [\s\S]*\nnothing to do: 1 up to date on .*\n$/);
});

it('init lists its files, then the created folder and the next commands', async () => {
  const hostOptions = newHostOptions();
  rmSync(join(hostOptions.cwd, 'card'), { recursive: true });
  const { before, after } = await runInOrder(['formula', 'init', 'card', '--no-input'], hostOptions);
  expect(before).toEqual([]);
  expect(after.map((line) => line.split(' ')[0])).toEqual(['Created', 'next:', 'next:']);
});

it.each(['validate card bank', 'push card bank --local --no-lock', 'diff card bank --local'])(
  '%s shows on a terminal how many folders are checked, and nothing of it remains',
  async (words) => {
    const { host, texts } = testHost({ ...newHostOptions(), columns: 80 });
    await main(['formula', ...words.split(' ')], host);
    expect(texts.err).toMatch(/^\rcheck: 0 of 2/);
    expect(texts.err).toMatch(/\r {10,}\r/);
  },
);

it('delete of several prints one line per formula with --verbose', async () => {
  const hostOptions = newHostOptions();
  await push(hostOptions);
  const words = ['formula', 'delete', 'Bank', 'Tokenize a card', '--yes', '--local', '--verbose'];
  const { err } = await run(words, hostOptions);
  expect(err).toMatch(/^Service: .*\ndeleted {2}\S{36} {2}Bank\ndeleted {2}\S{36} {2}Tokenize a card\n2 deleted\n/);
});

describe('errors of formulas are printed before the result, and their hints after the summary:', () => {
  const change = (hostOptions: HostOptions, code: string) => writeFileSync(join(hostOptions.cwd, 'card/code.js'), code);
  const elsewhere = async (hostOptions: HostOptions) => {
    change(hostOptions, `${CARD_CODE}// elsewhere\n`);
    const env = { ...hostOptions.env, XDG_STATE_HOME: folderWith() };
    await run(['formula', 'update', 'card', '--local'], { ...hostOptions, env });
    change(hostOptions, `${CARD_CODE}// here\n`);
  };

  it('push', async () => {
    const hostOptions = newHostOptions();
    await push(hostOptions);
    await elsewhere(hostOptions);
    const words = ['formula', 'push', 'card', 'bank', '--local', '--no-lock'];
    const { before, after } = await runInOrder(words, hostOptions);
    expect(before).toEqual([SERVICE, expect.stringMatching(/^error: /)]);
    expect(after.map((line) => line.trim().split(' ')[0])).toEqual(['1', 'hint:', 'To', 'To']);
    expect(after[0]).toBe('1 unchanged, 1 conflict on the embedded service');
  });

  it('push --plan', async () => {
    const hostOptions = newHostOptions();
    await push(hostOptions);
    change(hostOptions, `${CARD_CODE}// planned\n`);
    await run(['formula', 'diff', 'card', '--local', '--out', 'plan.json'], hostOptions);
    await elsewhere(hostOptions);
    const { before, after } = await runInOrder(['formula', 'push', '--plan', 'plan.json', '--local'], hostOptions);
    expect(before).toEqual([SERVICE, expect.stringMatching(/^error: the plan is stale/)]);
    expect(after).toEqual([
      expect.stringMatching(/^nothing was sent: /),
      expect.stringMatching(/^hint: To create a new plan, run: /),
    ]);
  });
});

it('init proposes --local only if no service is configured', async () => {
  const push = async (env: Record<string, string>) =>
    (await run(['formula', 'init', 'new', '--no-input'], { cwd: folderWith(), env })).err.split('\n').at(-2);
  const config = { XDG_CONFIG_HOME: folderWith() };
  expect(await push(config)).toBe('next: formulary formula push new --local');
  const service = { ...config, FORMULARY_BASE_URL: 'https://api.example.com' };
  expect(await push(service)).toBe('next: formulary formula push new');
  expect(await push({ ...service, FORMULARY_BASE_URL: 'nonsense' })).toBe('next: formulary formula push new');
});
