import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { BARE, cardFiles, folderWith, inFolder } from '../helpers/folders.ts';
import { expectExit, run, startCommand } from '../helpers/test-host.ts';
import { node16 } from '../node16/setup.ts';

const ON = node16 ? ['--node', node16] : [];
const CODE = `module.exports = async ({ args, configuration }) => {
  if (args.card.number === '') throw Object.assign(new Error('The number is empty.'), { status: 422 });
  console.log('number', args.card.number);
  return { raw: { last4: args.card.number.slice(-4), brands: configuration.BRANDS } };
};
`;
const request = (number: string) => ({ args: { card: { number } }, configuration: { BRANDS: 'visa' } });
const GOOD = { name: 'the last digits', ...request('424242'), expect: { raw: { last4: '4242', brands: 'visa' } } };
const REFUSED = { name: 'no number', ...request(''), expect: { error: { message: 'empty', status: 422 } } };
const WRONG = { name: 'wrong', ...request('1234'), expect: { raw: { last4: '1235', brands: 'visa' } } };

const folderOf = (...files: unknown[]) => {
  const tests = files.map((cases, i) => [`tests/${i}.json`, JSON.stringify(cases, null, 2)]);
  return folderWith(cardFiles({}, { 'code.js': CODE, ...Object.fromEntries(tests) }));
};

describe('test', () => {
  it('passes if the response is the expected one', async () => {
    const cwd = folderOf([GOOD, REFUSED], GOOD);
    const { code, out, err } = await run(['formula', 'test', '.', ...ON, '--json'], { cwd });
    expectExit({ code, err }, 0, '');
    const duration_ms = expect.any(Number);
    expect(JSON.parse(out)).toEqual({
      schema_version: 1,
      items: [
        { folder: '.', file: 'tests/0.json', case: 'the last digits', outcome: 'passed', duration_ms },
        { folder: '.', file: 'tests/0.json', case: 'no number', outcome: 'passed', duration_ms },
        { folder: '.', file: 'tests/1.json', case: 'the last digits', outcome: 'passed', duration_ms },
      ],
      summary: { total: 3, passed: 3, failed: 0, invalid: 0 },
    });
  });

  it('fails with 1 and a readable difference, and shows the printed output', async () => {
    const other = { ...REFUSED, expect: { error: { message: 'missing', status: 400 } } };
    const cwd = folderOf([GOOD, WRONG, { ...REFUSED, expect: { raw: {} } }, other]);
    const { code, out, err } = await run(['formula', 'test', '.', ...ON], { cwd });
    expect(code).toBe(1);
    expect(out).toContain('failed ./tests/0.json: wrong');
    expect(out).toContain('  -    "last4": "1235"\n  +    "last4": "1234"\n');
    expect(out).toContain('The number is empty. (code.js:2:');
    expect(out).toContain("> 2 |   if (args.card.number === '') throw");
    expect(out).toMatch(/- {4}"message": "missing",\n {2}- {4}"status": 400\n/);
    expect(out).toMatch(/\+ {4}"message": "The number is empty.",\n {2}\+ {4}"status": 422\n/);
    expect(err).toMatch(/\n1 passed, 3 failed\n$/);
    expect(err).toContain('./tests/0.json: wrong printed:\nnumber 1234');
    expect(err).not.toContain('424242');
  });

  it.each([
    ['one line', '[{"expect":{"raw":{}}}]\n', '[{"expect":{"raw":{"n":1}}}]\n'],
    ['several lines', '{\n  "expect": {}\n}', '{\n  "expect": {\n    "raw": {\n      "n": 1\n    }\n  }\n}'],
  ])('--update writes the same content repeatedly into a file of %s', async (_, before, after) => {
    const files = { 'code.js': 'module.exports = async () => ({ raw: { n: 1 } });', 'tests/a.json': before };
    const cwd = folderWith(cardFiles(BARE, files));
    const file = join(cwd, 'tests/a.json');
    for (const _ of [1, 2, 3]) {
      expect((await run(['formula', 'test', '.', ...ON, '--update'], { cwd })).code).toBe(0);
      expect(readFileSync(file, 'utf8')).toBe(after);
      writeFileSync(file, after.replace('1', '2'));
    }
  });

  const UNFIT = { args: {}, configuration: { BRANDS: '' }, expect: { error: {} } };
  it.each<[string, object, string]>([
    ['args that do not match the manifest', UNFIT, 'args.card.number is required'],
    ['code that never ends', { ...request('loop'), expect: { error: {} } }, 'did not end within 0.7 s'],
    ['code that ends its process', { ...request('exit'), expect: { error: {} } }, 'ended its process'],
    ['a response of a wrong shape', { ...request('shape'), expect: {} }, 'raw must be an object (got a number)'],
  ])('never counts as an expected error: %s', async (_, example, message) => {
    const code = `module.exports = async ({ args }) => {
      if (args.card.number === 'loop') for (;;);
      if (args.card.number === 'exit') process.exit(0);
      return { raw: 1 };
    };`;
    const cwd = folderWith(cardFiles({}, { 'code.js': code, 'tests/a.json': JSON.stringify(example) }));
    const words = ['formula', 'test', '.', ...ON, '--json', '--timeout', '0.7', '--update'];
    const { code: exit, out } = await run(words, { cwd });
    expect(exit).toBe(1);
    expect(JSON.parse(out).items).toMatchObject([
      { outcome: 'failed', error: { message: expect.stringContaining(message) } },
    ]);
    expect(JSON.parse(readFileSync(join(cwd, 'tests/a.json'), 'utf8'))).toEqual(example);
  });

  it('writes the actual response into failed tests with --update, and preserves the rest of the file', async () => {
    const cwd = folderOf([GOOD, WRONG, { ...REFUSED, expect: { raw: {} } }]);
    const before = readFileSync(join(cwd, 'tests/0.json'), 'utf8');
    const { code, out, err } = await run(['formula', 'test', '.', ...ON, '--update'], { cwd });
    expect({ code, out, summary: err.split('\n').at(-2) }).toEqual({
      code: 0,
      out: expect.not.stringContaining('failed'),
      summary: '3 passed, 0 failed',
    });
    expect(err).toContain('Updated: tests/0.json (2 tests)');
    const after = readFileSync(join(cwd, 'tests/0.json'), 'utf8');
    expect(after.startsWith(before.slice(0, before.indexOf('1235')))).toBe(true);
    expect(JSON.parse(after)[2].expect).toEqual({ error: { message: 'The number is empty.', status: 422 } });
    expect(await run(['formula', 'test', '.', ...ON], { cwd })).toMatchObject({ code: 0 });
    expect(readdirSync(join(cwd, 'tests'))).toEqual(['0.json']);
  });

  it('runs the tests of all folders, each in a process of its own, at most one per core at once', async () => {
    const log = join(folderWith(), 'log');
    const code = `const fs = require('fs');
      module.exports = async () => {
        fs.appendFileSync(${JSON.stringify(log)}, '+' + process.pid + '\\n');
        globalThis.count = (globalThis.count || 0) + 1;
        await new Promise((done) => setTimeout(done, 30));
        fs.appendFileSync(${JSON.stringify(log)}, '-' + process.pid + '\\n');
        return { raw: { count: globalThis.count } };
      };`;
    const files = cardFiles(
      { request_parameters: [], configuration: [] },
      { 'code.js': code, 'tests/a.json': JSON.stringify(Array(4).fill({ expect: { raw: { count: 1 } } })) },
    );
    const cwd = folderWith({ ...inFolder('a', files), ...inFolder('deep/b', files) });
    const { code: exit, out } = await run(['formula', 'test', '.', ...ON, '--json'], { cwd });
    expect(exit).toBe(0);
    expect(JSON.parse(out).items.map(({ folder }: { folder: string }) => folder)).toEqual([
      ...Array(4).fill('a'),
      ...Array(4).fill('deep/b'),
    ]);
    let [running, most] = [0, 0];
    for (const line of readFileSync(log, 'utf8').trim().split('\n')) {
      running += line.startsWith('+') ? 1 : -1;
      most = Math.max(most, running);
    }
    expect(most).toBeLessThanOrEqual(availableParallelism());
  });

  it('writes a JUnit report', async () => {
    const cwd = folderOf([GOOD, WRONG]);
    await run(['formula', 'test', '.', ...ON, '--report', 'junit=report.xml'], { cwd });
    const report = readFileSync(join(cwd, 'report.xml'), 'utf8');
    expect(report).toContain('tests="2" failures="1"');
    expect(report).toContain('<testcase name="tests/0.json: wrong" classname="." file="tests/0.json" time="');
    expect(report).toContain('response does not match');
  });

  it('reports a folder with invalid test files, and runs none of its tests', async () => {
    const cwd = folderOf([GOOD], [{ ...GOOD, expects: {} }], '[');
    writeFileSync(join(cwd, 'tests/2.json'), '[');
    writeFileSync(join(cwd, 'code.js'), `require('fs').writeFileSync('ran', '');\n${CODE}`);
    const { code, out } = await run(['formula', 'test', '.', ...ON, '--json'], { cwd });
    const findings = [{ file: 'tests/1.json' }, { file: 'tests/2.json', line: 1 }];
    expect([code, JSON.parse(out)]).toMatchObject([
      3,
      {
        items: [{ folder: '.', file: null, case: null, outcome: 'invalid', findings }],
        summary: { total: 1, passed: 0, failed: 0, invalid: 1 },
      },
    ]);
    expect(existsSync(join(cwd, 'ran'))).toBe(false);
  });

  it('runs the other folders if one is invalid, and exits with 3', async () => {
    const good = cardFiles({}, { 'code.js': CODE, 'tests/a.json': JSON.stringify(WRONG) });
    const cwd = folderWith({ 'all/bad/manifest.json': '{}', 'all/bad/code.js': '', ...inFolder('all/good', good) });
    const { code, out, err } = await run(['formula', 'test', 'all', ...ON, '--report', 'junit=r.xml'], { cwd });
    expect(code).toBe(3);
    expect(out).toContain('invalid all/bad\n');
    expect(err).toMatch(/\n0 passed, 1 failed, 1 invalid\n$/);
    expect(err).toContain('all/bad/manifest.json:1:1 error');
    expect(readFileSync(join(cwd, 'r.xml'), 'utf8')).toContain('tests="2" failures="2"');
  });

  it.each<[string, string[], number, string]>([
    ['where no folder has one', [], 1, 'error: no tests found\n'],
    ['where no name matches', ['-t', 'refund'], 1, 'error: no tests found\n'],
    ['unless that is allowed', ['--pass-with-no-tests'], 0, 'note: . has no tests (tests/*.json)\n'],
  ])('fails without a test: %s', async (_, words, exit, text) => {
    expectExit(await run(['formula', 'test', '.', ...ON, ...words], { cwd: folderWith(cardFiles()) }), exit, text);
  });

  it('runs the tests with a name, in any letter case', async () => {
    const cwd = folderOf([GOOD, WRONG]);
    expect(await run(['formula', 'test', '.', ...ON, '-t', 'LAST'], { cwd })).toMatchObject({
      code: 0,
      out: expect.stringContaining('the last digits'),
      err: '1 passed, 0 failed\n',
    });
    const none = await run(['formula', 'test', '.', ...ON, '--test-name', 'refund'], { cwd });
    expect(none).toMatchObject({ code: 1, out: '' });
    expect(none.err).toContain('no test has a name that contains "refund" (2 tests found)');
  });

  it('tests the current folder without a path, with the warnings of each test in JSON', async () => {
    const code = `module.exports = async () => ({ raw: { at: NaN } });`;
    const files = { 'code.js': code, 'tests/a.json': '{"expect":{"raw":{"at":null}}}' };
    const cwd = folderWith(cardFiles(BARE, files));
    const { code: exit, out } = await run(['formula', 'test', ...ON, '--json'], { cwd });
    expect(exit).toBe(0);
    expect(JSON.parse(out).items[0].warnings).toEqual(['raw.at is NaN, which JSON cannot represent and omits']);
  });

  it('prints the slowest tests with --verbose', async () => {
    const { err } = await run(['formula', 'test', ...ON, '--verbose'], { cwd: folderOf([GOOD, REFUSED]) });
    expect(err).toMatch(/slowest: \.\/tests\/0\.json: .+ \(\d+ ms\)\n/);
  });

  it('exits with 2 if --node is not a Node.js, and with 130 if it is interrupted', async () => {
    const cwd = folderOf([GOOD]);
    expect(await run(['formula', 'test', '.', '--node', '/bin/true'], { cwd })).toMatchObject({ code: 2, out: '' });
    expect(await run(['formula', 'test', '.', ...ON], { cwd, stop: Promise.resolve('SIGINT' as const) })).toMatchObject(
      { code: 130, out: '' },
    );
  });

  it('tests again after a change of a file outside the folder that the code imports', async () => {
    const shared = (text: string) => `export const text = '${text}';\n`;
    const cwd = folderWith({
      '.git/HEAD': '',
      'common/text.ts': shared('wrong'),
      'card/manifest.json': '{"name":"Card","type":"private","configuration":[],"request_parameters":[]}',
      'card/code.ts': "import { text } from '../common/text';\nexport default async () => ({ raw: { text } });\n",
      'card/tests/0.json': JSON.stringify({ name: 'text', args: {}, expect: { raw: { text: 'right' } } }),
    });
    const { texts, stop } = startCommand(['formula', 'test', 'card', ...ON, '--watch'], { cwd });
    await vi.waitFor(() => expect(texts.err).toContain('0 passed, 1 failed'), { timeout: 20_000 });
    writeFileSync(join(cwd, 'common/text.ts'), shared('right'));
    await vi.waitFor(() => expect(texts.err).toContain('1 passed, 0 failed'), { timeout: 20_000 });
    expect(await stop()).toBe(0);
  });
});

describe('the Node.js of the tests', () => {
  it('is reported after a failed test, and with --verbose, if it is not Node.js 16', async () => {
    const env = { PATH: folderWith() };
    const [good, bad] = [folderOf(GOOD), folderOf(WRONG)];
    const hint =
      /failed\nhint: The code ran on Node\.js \S+\. To run it on Node\.js 16.* set FORMULARY_NODE or pass --node\.\n$/;
    expect((await run(['formula', 'test'], { cwd: good, env })).err).toBe('1 passed, 0 failed\n');
    expect((await run(['formula', 'test'], { cwd: bad, env })).err).toMatch(hint);
    expect((await run(['formula', 'test', '--verbose'], { cwd: good, env })).err).toMatch(hint);
  });

  it('is that of FORMULARY_NODE, unless --node is passed', async () => {
    const env = { FORMULARY_NODE: '/nowhere/node', PATH: folderWith() };
    const cwd = folderOf(GOOD);
    expectExit(await run(['formula', 'test'], { cwd, env }), 2, 'could not run the code with /nowhere/node');
    expect(await run(['formula', 'test', '--node', process.execPath], { cwd, env })).toMatchObject({ code: 0 });
  });

  it('shows source lines within the width of the terminal', async () => {
    const cwd = folderOf({ ...WRONG, name: 'long', args: { card: { number: '' } } });
    const { out } = await run(['formula', 'test'], { cwd, columns: 60 });
    const frame = out.split('\n').filter((line) => / \| /.test(line));
    expect(frame.map((line) => line.slice(0, 8))).toEqual(['    1 | ', '  > 2 | ', '      | ', '    3 | ']);
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(60);
  });
});
