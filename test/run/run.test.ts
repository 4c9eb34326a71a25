/** formula run: real code in real processes, on this Node.js and on a real Node.js 16. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import childScript from '../../src/generated/formula-child.js';
import { TOKEN_LENGTH } from '../../src/run/protocol.ts';
import { BARE, cardFiles, folderWith, inFolder } from '../helpers/folders.ts';
import { exitsWith, expectExit, run, startCommand } from '../helpers/test-host.ts';
import { node16 } from '../node16/setup.ts';

const TOOL = join(import.meta.dirname, '../../bin/formulary.js');
const ON = node16 ? ['--node', node16] : [];

/** Runs code with nothing declared. */
async function runCode(code: string, words: string[] = [], files: Record<string, string> = {}) {
  const cwd = folderWith(cardFiles(BARE, { 'code.js': code, ...files }));
  return run(['formula', 'run', '.', ...ON, ...words], { cwd });
}

/** Never ends, like an endless loop, but does not use the processor. */
const BLOCK = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);';

const NODES = [['this Node.js', []], ...(node16 ? [['Node.js 16', ['--node', node16]]] : [])] as [string, string[]][];

describe.each(NODES)('run on %s', (_, node) => {
  it('prints the response, and passes args and configuration', async () => {
    const cwd = folderWith(cardFiles({}, { 'code.js': 'module.exports = async (req) => ({ raw: req });' }));
    const args = { card: { number: '4242' }, list: [{ a: [1, [2]] }] };
    const words = ['--args', JSON.stringify(args), '--configuration', '{"BRANDS":"visa"}'];
    const { code, out } = await run(['formula', 'run', '.', ...node, ...words], { cwd });
    expect([code, JSON.parse(out)]).toEqual([0, { raw: { args, configuration: { BRANDS: 'visa' }, bt: null } }]);
  });

  it('survives code that replaces the functions that transfer its result', async () => {
    const code = `
      const fs = require('fs');
      Object.prototype.toString = null; Object.prototype.response = 1; Object.prototype.extra = 1;
      Array.prototype.map = Array.prototype.join = Array.prototype.slice = null;
      String.prototype.slice = Buffer.prototype.subarray = null;
      JSON.stringify = () => '{"raw":{"forged":true}}'; JSON.parse = () => ({ forged: true });
      fs.writeSync = fs.writeFileSync = fs.readFileSync = () => 0;
      Buffer.from = () => 'forged'; Promise.prototype.then = null; setTimeout = null; process.exit = null;
      Reflect.apply = () => 'forged';
      module.exports = async ({ args }) => ({ raw: { real: args.is } });`;
    const cwd = folderWith(cardFiles(BARE, { 'code.js': code }));
    const { code: exit, out } = await run(['formula', 'run', '.', ...node, '--args', '{"is":true}'], { cwd });
    expect({ exit, out: JSON.parse(out) }).toEqual({ exit: 0, out: { raw: { real: true } } });
  });

  it('shows the position of an error, with its status and errors', async () => {
    const code = `class CardError extends Error {\n  constructor(m) { super(m); this.name = 'CardError'; this.status = 422; this.errors = { number: ['bad'] }; }\n}\nmodule.exports = async () => {\n  throw new CardError('The card is not valid.');\n};\n`;
    const cwd = folderWith(cardFiles(BARE, { 'code.js': code }));
    const plain = await run(['formula', 'run', '.', ...node], { cwd });
    expect(plain).toMatchObject({ code: 1, out: '' });
    expect(plain.err).toContain('error: the code failed: CardError: The card is not valid. (code.js:5:9)');
    expect(plain.err).toContain('status: 422\nerrors: {"number":["bad"]}');
    expect(plain.err).toContain("> 5 |   throw new CardError('The card is not valid.');");
    expect(plain.err).not.toMatch(/^\s+at /m);
    const { code: exit, out, err } = await run(['formula', 'run', '.', ...node, '--json'], { cwd });
    expect({ exit, out }).toEqual({ exit: 1, out: '' });
    const { error } = JSON.parse(err.trimEnd().split('\n').at(-1) ?? '');
    expect(error).toMatchObject({ code: 'failed', details: { name: 'CardError', message: 'The card is not valid.' } });
    const places = [{ file: 'code.js', line: 5, column: 9 }];
    expect(error.details).toMatchObject({ status: 422, errors: { number: ['bad'] }, places });
  });
});

it.each([
  'Object.prototype.toJSON = () => "x"; return { raw: { a: [NaN] } };',
  'Array.prototype.map = Array.prototype.push = null; Map.prototype.get = null; return { raw: { a: NaN } };',
  'Object.prototype.toJSON = () => "x"; throw Object.assign(new Error("a"), { cause: new Error("b") });',
])('an exit code of code that changes prototypes is not 70: %s', async (text) => {
  const { code } = await runCode(`module.exports = async () => { ${text} };`, ['--timeout', '4']);
  expect([0, 1]).toContain(code);
});

it('explains that bt is null, and how to pass one', async () => {
  const { err } = await runCode('module.exports = async ({ bt }) => {\n  await bt.tokens.create({});\n};');
  expect(err).toContain('hint: bt is null, since it has no double. In formula run, pass one: --bt FILE');
});

it('shows the source in stacks that the code prints', async () => {
  const code =
    'module.exports = async () => {\n  console.error(new Error("printed").stack);\n  return { raw: {} };\n};';
  expect((await runCode(code)).err).toContain('(code.js:2:17)');
});

it.each(['--args', '--configuration'])('%s may begin with a byte order mark', async (flag) => {
  const { code, out } = await runCode('module.exports = async () => ({ raw: { fine: true } });', [flag, '\ufeff{}']);
  expect({ code, out: JSON.parse(out) }).toEqual({ code: 0, out: { raw: { fine: true } } });
});

describe('a tool that is killed', () => {
  it.runIf(process.platform !== 'win32').each([
    ['SIGKILL', null],
    ['SIGHUP', null],
    ['SIGTERM', 143],
  ] as const)('by %s leaves no code behind, not even an endless loop', async (signal, code) => {
    const loop = 'console.error(process.pid, "is there"); module.exports = async () => { for (;;); };';
    const cwd = folderWith(cardFiles(BARE, { 'code.js': loop }));
    const words = [TOOL, 'formula', 'run', '.', ...ON];
    const tool = spawn(process.execPath, [...words, '--timeout', '600'], { cwd });
    onTestFinished(() => void tool.kill('SIGKILL'));
    let messages = '';
    const pid = await new Promise<number>((done) => {
      tool.stderr.on('data', (text) => {
        messages += text;
        const [, found] = /(\d+) is there/.exec(messages) ?? [];
        if (found) done(Number(found));
      });
    });
    const ended = new Promise((done) => tool.once('exit', done));
    tool.kill(signal);
    expect(await ended).toBe(code);
    const isThere = () => !/^(Z|X|)$/.test(stateOf(pid));
    await vi.waitFor(() => expect(isThere()).toBe(false), { timeout: 20_000, interval: 50 });
  });

  it.runIf(process.platform !== 'win32')('leaves no code behind that starts after its end', async () => {
    const script = join(folderWith({ 'run.cjs': childScript }), 'run.cjs');
    const { pid: endedPid } = spawnSync(process.execPath, ['-e', '0']);
    const child = spawn(process.execPath, [script, String(endedPid)], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore', 'pipe'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const request = { code: 'for (;;);', file: script, args: '{}', configuration: '{}', graceMs: 0, maxBytes: 1000 };
    child.stdin?.end(`${'a'.repeat(TOKEN_LENGTH)}${JSON.stringify(request)}`);
    expect(await new Promise((done) => child.once('exit', (_, signal) => done(signal)))).toBe('SIGKILL');
  });

  it.runIf(process.platform !== 'win32')('leaves no code of many tests running', async () => {
    const pids = join(folderWith(), 'pids');
    const code = `require('fs').appendFileSync(${JSON.stringify(pids)}, process.pid + ' ');
      module.exports = async () => { for (;;); };`;
    const tests = JSON.stringify(Array(5).fill({ expect: { raw: {} } }));
    const cwd = folderWith(cardFiles(BARE, { 'code.js': code, 'tests/a.json': tests }));
    const tool = spawn(process.execPath, [TOOL, 'formula', 'test', '.', ...ON, '--timeout', '600'], { cwd });
    onTestFinished(() => void tool.kill('SIGKILL'));
    const [pid = 0] = await vi.waitFor(() => {
      const found = readFileSync(pids, 'utf8').trim().split(' ').map(Number);
      expect(found[0]).toBeGreaterThan(0);
      return found;
    }, 20_000);
    tool.kill('SIGKILL');
    await vi.waitFor(() => expect(stateOf(pid)).toMatch(/^(Z|X|)$/), { timeout: 20_000, interval: 50 });
  });
});

/** The letter of a process's state; empty where there is none. */
function stateOf(pid: number): string {
  try {
    return execFileSync('ps', ['-o', 'state=', '-p', String(pid)], { encoding: 'utf8' })
      .trim()
      .slice(0, 1);
  } catch {
    return '';
  }
}

const NO_JSON = 'could not serialize the response as JSON';

describe('code that fails', () => {
  it.each<[string, string, string[]]>([
    ['at load', 'const a = undefined;\na.b;\nmodule.exports = async () => ({});', ['failed to load', 'code.js:2:3']],
    ['with a text', "throw 'no card';", ["'no card'", 'not an Error']],
    ['with nothing', 'throw undefined;', ['undefined', 'not an Error']],
    ['with a value that cannot be read', 'throw new Proxy({}, { get() { throw 1; } });', ['not an Error']],
    [
      'with an error whose parts throw',
      "const e = new Error('real'); Object.defineProperty(e, 'status', { get() { throw 1; } }); throw e;",
      ['real'],
    ],
    [
      'outside of the function',
      "return new Promise(() => { setTimeout(() => { throw new Error('late'); }, 1); });",
      ['uncaught error outside the function', 'late', 'code.js:1'],
    ],
    [
      'by a promise that nobody waits for',
      "Promise.reject(new Error('alone')); await new Promise((done) => setTimeout(done, 50)); return { raw: {} };",
      ['uncaught error outside the function', 'alone'],
    ],
    ['by returning nothing', '', ['must return an object', 'got nothing']],
    ['by returning a text', "return 'done';", ['must return an object', 'got a string']],
    ['by raw that is a list', 'return { raw: [] };', ['raw must be an object (got an array)']],
    ['by a promise that never settles', 'await new Promise(() => undefined);', ['never settled']],
    ['by ending its process', 'process.exit(0);', ['ended its process', 'exit 0', 'no result']],
    ['by killing its process', "process.kill(process.pid, 'SIGKILL');", ['SIGKILL', 'no result']],
    ['by ending its process at load', 'process.exit(3);\nmodule.exports = async () => ({});', ['exit 3']],
    ['by a circle', 'const raw = {}; raw.raw = raw; return { raw };', [NO_JSON, 'circular']],
    ['by a BigInt', 'return { raw: { n: 1n } };', [NO_JSON, 'BigInt']],
    [
      'by a response deeper than any service reads',
      'let raw = {}; for (let i = 0; i < 1e5; i++) raw = { raw }; return { raw };',
      ['nested at most 1,000 levels deep'],
    ],
    ['by a response that is too long', "return { raw: { x: 'x'.repeat(30e6) } };", ['20 MiB']],
    ['by no function', "module.exports = require('fs').constants;", ['must export a function (got an object)']],
    [
      'by a package that is not installed',
      "require('surely-not-installed/sub');\nmodule.exports = async () => ({});",
      ['surely-not-installed', 'npm install', 'service'],
    ],
    [
      'by a file next to it, which is not sent',
      "const load = (path) => require(path);\nmodule.exports = async () => load('./broken.js');",
      ['./broken.js', 'Only the code file is sent'],
    ],
    [
      'by an absolute path below its folder',
      "const a = [__dirname, 'broken.js'].join('/'); return require(a);",
      ['broken.js', 'Only the code file is sent'],
    ],
    [
      'by an error with a cause',
      "const e = new Error('outer'); e.cause = new TypeError('inner'); throw e;",
      ['outer', 'cause: TypeError: inner'],
    ],
    [
      'by several errors at once',
      "throw new AggregateError([new Error('one'), new Error('two')], 'all');",
      ['AggregateError: all', 'contains: Error: one', 'contains: Error: two'],
    ],
    ['by an error without a message', 'throw new TypeError();', ['TypeError without']],
  ])('%s ends with 1 and one clear message', async (_, text, words) => {
    const code = text.includes('module.exports') ? text : `module.exports = async () => { ${text} };`;
    const { code: exit, out, err } = await runCode(code, [], { 'broken.js': 'const a = 1;\nconst b = ;\n' });
    expect({ exit, out }).toEqual({ exit: 1, out: '' });
    for (const word of words) expect(err).toContain(word);
    expect(err.match(/^error: /gm)).toHaveLength(1);
    expect(err).not.toMatch(/^\s+at |generated|\[eval\]/m);
  });

  it.each([
    ['at load', `module.exports = async () => ({});\n${BLOCK}`],
    ['in the function', 'module.exports = async () => { for (;;); };'],
    ['without blocking', 'module.exports = () => new Promise(() => setInterval(() => undefined, 10));'],
    ['while it prints', "module.exports = async () => { for (;;) console.log('again and again'); };"],
    ['by a stand-in for req.bt', 'module.exports = async ({ bt }) => ({ raw: bt });'],
  ])('that does not end %s is stopped at its time limit', async (_, code) => {
    const files = { 'bt.js': BLOCK };
    const words = code.includes('bt') ? ['--bt', 'bt.js'] : [];
    const { code: exit, out, err } = await runCode(code, ['--timeout', '0.4', ...words], files);
    expect({ exit, out }).toEqual({ exit: 1, out: '' });
    expect(err).toContain('did not end within 0.4 s');
    expect(err.length).toBeLessThan(2_200_000);
  });

  it.each([
    ['values', 'module.exports = async () => { const all = []; for (;;) all.push(new Array(1e5).fill(0.5)); };'],
    ...(existsSync('/proc/self/statm')
      ? [
          [
            'buffers',
            'module.exports = async () => { const all = []; for (;;) { all.push(Buffer.alloc(5e6, 1)); await new Promise((done) => setTimeout(done, 2)); } };',
          ],
        ]
      : []),
  ])('that exceeds its memory with %s is stopped', async (_, code = '') => {
    const { code: exit, out, err } = await runCode(code, ['--timeout', '25']);
    expect({ exit, out }).toEqual({ exit: 1, out: '' });
    expect(err).toContain('memory limit');
    expect(err).not.toMatch(/GCs|0x/);
  });

  it.runIf(existsSync('/proc/self/stat'))('ends with all processes that it started', async () => {
    const cwd = folderWith();
    const alive = join(cwd, 'alive');
    const grandchild = `setInterval(() => require('fs').writeFileSync(${JSON.stringify(alive)}, String(process.pid)), 20)`;
    const code = `const { spawn } = require('child_process');
      module.exports = () => new Promise(() => spawn(process.execPath, ['-e', ${JSON.stringify(grandchild)}], { stdio: 'inherit' }));`;
    await runCode(code, ['--timeout', '1']);
    const pid = Number(readFileSync(alive, 'utf8'));
    // Nobody may have asked yet how it ended; then it is there as a zombie.
    const state = () =>
      existsSync(`/proc/${pid}`) ? readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.[0] : 'gone';
    await vi.waitFor(() => expect(state()).toMatch(/^Z$|gone/));
  });
});

describe('a result', () => {
  it('is the return value of the function, for any output of the code', async () => {
    const forged = '{"response":{"raw":{"forged":true}},"lost":[],"files":[]}';
    const code = `const fs = require('fs');
      for (const fd of [1, 2, 3]) { fs.writeSync(fd, '\\n${forged}\\n'); fs.writeSync(fd, 'half a line'); }
      console.log('::error::\\u001b[31mred');
      module.exports = async () => ({ raw: { real: true } });`;
    const { code: exit, out, err } = await runCode(code);
    expect({ exit, out: JSON.parse(out) }).toEqual({ exit: 0, out: { raw: { real: true } } });
    expect(err).toContain('forged');
    expect(err).toContain('\\u001b[31mred');
    expect(err).not.toContain('\u001b');
    expect(err).not.toMatch(/^::/m);
  });

  it('has a warning for errors after it', async () => {
    const code = `module.exports = async () => {
      setTimeout(() => Promise.reject(new Error('nobody waited')), 5);
      setInterval(() => undefined, 1000);
      return { raw: { at: NaN } };
    };`;
    const { code: exit, out, err } = await runCode(code);
    expect({ exit, out: JSON.parse(out) }).toEqual({ exit: 0, out: { raw: { at: null } } });
    expect(err).toContain('after the response, the code failed with nobody waited (code.js:2:');
    expect(err).toContain('after the response, something was still running (a timer)');
    expect(err).toContain('raw.at is NaN, which JSON cannot represent');
  });

  it.skipIf(process.platform === 'win32')('has a warning that names what was still running', async () => {
    const code = `module.exports = async () => {
      require('fs').createReadStream('/dev/zero').on('data', () => undefined);
      return { raw: {} };
    };`;
    expect((await runCode(code)).err).toContain('something was still running (a file)');
  });

  it.skipIf(process.platform === 'win32')('has a warning for a process that could not be ended', async () => {
    const code = `module.exports = async () => {
      const started = require('child_process').spawn(process.execPath, ['-e', 'setInterval(() => 0, 1000)'],
        { detached: true, stdio: 'inherit' });
      started.unref();
      return { raw: { pid: started.pid } };
    };`;
    const { code: exit, out, err } = await runCode(code);
    process.kill(JSON.parse(out).raw.pid, 'SIGKILL');
    expect(exit).toBe(0);
    expect(err).toContain('left its process group and may still be running');
    expect(err).not.toContain('was stopped');
  });

  it.each(['get', 'set', 'writable', 'enumerable', 'toJSON', 'length', 'then'])(
    'is returned if the code assigns to Object.prototype.%s',
    async (name) => {
      const { code, out } = await runCode(`module.exports = async () => {
        Object.defineProperty(Object.prototype, '${name}', { value: 1, writable: true, configurable: true });
        return { raw: { is: 'real' } };
      };`);
      expect({ code, out: JSON.parse(out) }).toEqual({ code: 0, out: { raw: { is: 'real' } } });
    },
  );

  it('is returned even if the code never pauses after it', async () => {
    const code = `module.exports = async () => { setImmediate(() => { ${BLOCK} }); return { raw: {} }; };`;
    const { code: exit, out, err } = await runCode(code);
    expect({ exit, out: JSON.parse(out) }).toEqual({ exit: 0, out: { raw: {} } });
    expect(err).toContain('still running');
  });

  it.each([
    ['a text as raw', "{ raw: 'text' }", 'raw must be an object (got a string)'],
    ['other keys', '{ raw: {}, status: 200 }', 'unknown key "status" in the response'],
    ['nothing in it', '{}', 'neither raw nor tokenize'],
  ])('may have %s, with a warning', async (_, response, words) => {
    const { code, err } = await runCode(`module.exports = async () => (${response});`);
    expect(code).toBe(0);
    expect(err).toContain('warning: ');
    expect(err).toContain(words);
  });

  it('has no warning for valid code', async () => {
    expect(await runCode('module.exports = async () => ({ raw: { a: 1 } });')).toEqual({
      code: 0,
      out: '{\n  "raw": {\n    "a": 1\n  }\n}\n',
      err: node16 ? '' : expect.any(String),
    });
  });

  it.each([['csv'], ['table'], ['json']])('is JSON with --output %s too', async (format) => {
    const { out } = await runCode('module.exports = async () => ({ raw: { a: 1 } });', ['-o', format]);
    expect(JSON.parse(out)).toEqual({ raw: { a: 1 } });
  });
});

describe('the code runs', () => {
  it('without the environment, the arguments, and the input of the tool', async () => {
    const cwd = folderWith(
      cardFiles(BARE, {
        'code.js':
          "module.exports = async () => ({ raw: { env: process.env, argv: process.argv.slice(2), exec: process.execArgv, input: require('fs').readFileSync(0, 'utf8') } });",
      }),
    );
    const env = { HOME: folderWith(), FORMULARY_API_KEY: 'key-secret' };
    const out = execFileSync(process.execPath, [TOOL, 'formula', 'run', '.', ...ON], { cwd, env, input: 'typed' });
    expect(JSON.parse(out.toString())).toEqual({ raw: { env: { TZ: 'UTC' }, argv: [], exec: [], input: '' } });
  });

  it('as a CommonJS script, with any package.json, with the packages of its folder', async () => {
    const code =
      "const last4 = require('last4');\nmodule.exports = async () => ({ raw: { last4: last4('4242'), dir: __dirname.length > 0, main: require.main === module } });";
    const { out } = await runCode(code, [], {
      'package.json': '{"type":"module"}',
      'node_modules/last4/package.json': '{}',
      'node_modules/last4/index.js': 'module.exports = (n) => n.slice(-4);',
    });
    expect(JSON.parse(out)).toEqual({ raw: { last4: '4242', dir: true, main: false } });
  });

  it('with a warning about each value that JSON cannot represent, by its path', async () => {
    const code = `module.exports = async () => ({ raw: { list: [1, Promise.resolve(), { error: new Error('x') }], re: /a/,
      at: new Date(NaN), ok: new Date(0), map: new Map(), f() {} } });`;
    const { code: exit, out, err } = await runCode(code);
    expect(exit).toBe(0);
    expect(JSON.parse(out).raw.ok).toBe('1970-01-01T00:00:00.000Z');
    expect([...err.matchAll(/^warning: (raw.*), which JSON/gm)].map(([, text]) => text)).toEqual([
      'raw.list[1] is a promise (is an await missing?)',
      'raw.list[2].error is an Error',
      'raw.re is a regular expression',
      'raw.at is an invalid Date',
      'raw.map is a Map',
    ]);
  });

  it('in an empty folder, with the packages of the formula and of the folders above it', async () => {
    const cwd = folderWith({
      'node_modules/above/index.js': "module.exports = 'above';",
      ...inFolder(
        'formulas/card',
        cardFiles(BARE, {
          'code.js': `const fs = require('fs');
              module.exports = async () => ({ raw: { above: require('above'), own: (await import('own')).default,
                here: fs.readdirSync('.'), next: fs.readdirSync(__dirname).filter((name) => name !== 'node_modules') } });`,
          'node_modules/own/index.js': "module.exports = 'own';",
        }),
      ),
    });
    const { code, out, err } = await run(['formula', 'run', 'formulas/card', ...ON], { cwd });
    expect({ code, err }).toEqual({ code: 0, err: expect.not.stringContaining('error') });
    expect(JSON.parse(out).raw).toEqual({ above: 'above', own: 'own', here: [], next: [] });
    expect(readdirSync(cwd).sort()).toEqual(['formulas', 'node_modules']);
  });

  it('as the bundle that would be sent, with the positions of its sources', async () => {
    const { 'code.js': _, ...files } = cardFiles(BARE, {
      'code.ts':
        "import { check } from './lib/check';\nexport default async ({ args }: { args: { n: string } }) => ({ raw: { n: check(args.n) } });\n",
      'lib/check.ts':
        "type N = string;\n\nexport function check(n: N): N {\n  if (n === '') throw new Error('no number');\n  return n;\n}\n",
    });
    const cwd = folderWith(files);
    const good = await run(['formula', 'run', '.', ...ON, '--args', '{"n":"4"}'], { cwd });
    expect({ code: good.code, out: JSON.parse(good.out) }).toEqual({ code: 0, out: { raw: { n: '4' } } });
    const bad = await run(['formula', 'run', '.', ...ON, '--args', '{"n":""}'], { cwd });
    expect(bad).toMatchObject({ code: 1, out: '' });
    expect(bad.err).toContain('no number (lib/check.ts:4:23)');
    expect(bad.err).toContain("> 4 |   if (n === '') throw new Error('no number');");
  });

  it('with a substitute for req.bt', async () => {
    const code = 'module.exports = async ({ bt }) => ({ raw: await bt.tokens.retrieve("t1") });';
    const { out } = await runCode(code, ['--bt', 'bt.js'], {
      'bt.js': 'exports.tokens = { retrieve: async (id) => ({ id, data: "4242" }) };',
    });
    expect(JSON.parse(out)).toEqual({ raw: { id: 't1', data: '4242' } });
  });

  it('on a Node.js 16 that PATH has, by its name', async () => {
    if (!node16) return;
    const bin = folderWith();
    const code = 'module.exports = async () => ({ raw: { version: process.version } });';
    const cwd = folderWith(cardFiles(BARE, { 'code.js': code }));
    for (const name of ['node16', 'node-16', 'node']) {
      symlinkSync(node16, join(bin, name));
      const { out, err } = await run(['formula', 'run', cwd], { cwd, env: { PATH: `/nowhere:${bin}` } });
      rmSync(join(bin, name));
      expect({ version: JSON.parse(out).raw.version, err }).toEqual({ version: 'v16.20.2', err: '' });
    }
  });

  it('on the Node.js of the tool if there is no other, which --verbose and a failure say', async () => {
    const code = 'module.exports = async () => ({ raw: { version: process.version } });';
    const cwd = folderWith(cardFiles(BARE, { 'code.js': code }));
    const runWithout = (...words: string[]) =>
      run(['formula', 'run', cwd, ...words], { cwd, env: { PATH: '/nowhere' } });
    const ended = await runWithout();
    expect({ ...ended, out: JSON.parse(ended.out).raw.version }).toEqual({ code: 0, out: process.version, err: '' });
    expect((await runWithout('--verbose')).err).toMatch(
      /^note: The code ran on Node\.js \S+\. .*FORMULARY_NODE or pass --node\.\n$/m,
    );
    writeFileSync(join(cwd, 'code.js'), "module.exports = async () => { throw new Error('no'); };");
    expect((await runWithout()).err).toMatch(/hint: The code ran on Node\.js/);
  });
});

describe('an argument of run', () => {
  const CARD = "module.exports = async ({ args }) => ({ raw: args });\nrequire('fs').writeFileSync('ran', '');\n";

  it.each<[string, string[], Record<string, string | Buffer>, number, string[]]>([
    ['is not JSON', ['--args', '{'], {}, 3, ['--args', 'line 1']],
    ['is a file of no JSON', ['--args', '@a.json'], { 'a.json': '{\n"a": 1,\n}' }, 3, ['a.json:2:7', 'trailing comma']],
    ['is a file in UTF-16', ['--args', '@a.json'], { 'a.json': Buffer.from('\ufeff{}', 'utf16le') }, 3, ['UTF-16']],
    ['is a plain value', ['--args', '"x"'], {}, 3, ['args must be an object or an array (got a string)']],
    ['is a list of settings', ['--configuration', '[]'], {}, 3, ['configuration must be an object (got an array)']],
    ['is too deep', ['--args', '@a.json'], { 'a.json': '['.repeat(200_000) }, 3, ['a.json:1:501', 'deeper than 500']],
    ['has 50 MB', ['--args', '@a.json'], { 'a.json': Buffer.alloc(50e6, ' ') }, 3, ['10 MiB']],
    ['never ends', ['--args', '@/dev/zero'], {}, 2, ['/dev/zero', 'device']],
    ['is not a file', ['--args', '@gone.json'], {}, 2, ['gone.json', 'ENOENT']],
    ['is a folder', ['--args', '@.'], {}, 2, ['EISDIR']],
    ['names no file', ['--args', '@'], {}, 2, ['--args']],
    ['is standard input twice', ['--args', '-', '--configuration', '-'], {}, 2, ['standard input']],
    ['is --watch with --json', ['--watch', '--json'], {}, 2, ['--watch and --json cannot be used together']],
    ['is standard input to be watched', ['--args', '-', '--watch'], {}, 2, ['--watch']],
    ['is an empty time', ['--timeout', ''], {}, 2, ['--timeout']],
    ['is not a time', ['--timeout', '0'], {}, 2, ['--timeout', 'above 0']],
    ['is too long a time', ['--timeout', '1e9'], {}, 2, ['86400']],
    ['is a Node.js that is not there', ['--node', './gone'], {}, 2, ['/gone', 'ENOENT']],
    ['is a program that is not Node.js', ['--node', '/bin/true'], {}, 2, ['/bin/true', 'not Node.js']],
    ['is a stand-in that is not there', ['--bt', 'gone.js'], {}, 2, ['--bt', 'gone.js']],
    ['lacks required values', [], {}, 3, ['args.card.number is required', 'configuration.BRANDS is required']],
  ])('is an error before the code runs if it %s', async (_, words, files, code, texts) => {
    const manifest = words.length === 0 ? {} : BARE;
    const cwd = folderWith(cardFiles(manifest, { 'code.js': CARD, ...files }));
    const { code: exit, out, err } = await run(['formula', 'run', '.', ...ON, ...words], { cwd });
    expect({ exit, out }).toEqual({ exit: code, out: '' });
    for (const text of texts) expect(err).toContain(text);
    expect(existsSync(join(cwd, 'ran'))).toBe(false);
  });

  it.each([
    ['linux', `run: formulary formula run . --args '{"card":{"number":"text"}}' --configuration '{"BRANDS":"text"}'\n`],
    [
      'win32',
      'with {"card":{"number":"text"}} in args.json and {"BRANDS":"text"} in configuration.json, run: formulary formula run . --args "@args.json" --configuration "@configuration.json"\n',
    ],
  ])('gets an example request for the shells of %s', async (platform, example) => {
    expect(await run(['formula', 'run', '.', ...ON], { cwd: folderWith(cardFiles()), platform })).toMatchObject(
      exitsWith(3, `For example, ${example}`),
    );
  });

  it('has all errors with positions in a file of args', async () => {
    const cwd = folderWith(cardFiles({}, { 'args.json': '\ufeff{\n  "card": {"number": 4, "year": "2030"}\n}' }));
    const words = ['--args', '@args.json', '--configuration', '{"BRANDS":"x"}'];
    const { code, err } = await run(['formula', 'run', '.', ...ON, ...words], { cwd });
    expect(code).toBe(3);
    expect(err).toContain('args.json:2:22: args.card.number must be a string (got a number)');
    expect(err).toContain('args.json:2:33: args.card.year must be a number (got a string)');
    const { err: json } = await run(['formula', 'run', '.', ...ON, ...words, '--json'], { cwd });
    expect(JSON.parse(json).error).toMatchObject({
      code: 'invalid',
      details: { findings: [{ file: 'args.json', line: 2, column: 22 }, { line: 2 }] },
    });
  });

  it('may be read from standard input, and is cast with --cast', async () => {
    const cwd = folderWith(cardFiles({}, { 'code.js': 'module.exports = async (req) => ({ raw: req });' }));
    const words = ['--args', '-', '--configuration', '{"BRANDS":1}', '--cast'];
    const stdin = '{"card":{"number":4,"year":"2030"}}';
    const { code, out } = await run(['formula', 'run', '.', ...ON, ...words], { cwd, stdin });
    const raw = { args: { card: { number: '4', year: 2030 } }, configuration: { BRANDS: '1' }, bt: null };
    expect([code, JSON.parse(out)]).toEqual([0, { raw }]);
  });

  it('is a folder, which must be valid', async () => {
    const cwd = folderWith(cardFiles({ type: 'x' }, { 'code.js': CARD }));
    expectExit(await run(['formula', 'run', '.', ...ON], { cwd }), 3, 'type-value', '');
    expect(existsSync(join(cwd, 'ran'))).toBe(false);
  });
});

describe('interrupted', () => {
  it('it ends the code, and exits with 130', async () => {
    const cwd = folderWith(cardFiles(BARE, { 'code.js': 'module.exports = async () => { for (;;); };' }));
    const { code, out } = await run(['formula', 'run', '.', ...ON], { cwd, stop: Promise.resolve('SIGINT' as const) });
    expect({ code, out }).toEqual({ code: 130, out: '' });
  });
});

describe('--watch', () => {
  it('of formula test rejects --json', async () => {
    expect(await run(['formula', 'test', '.', '--watch', '--json'], { cwd: folderWith(cardFiles()) })).toMatchObject(
      exitsWith(2, '--watch and --json cannot be used together'),
    );
  });

  it('runs again after changes, atomic saves, errors, and bursts, until it is interrupted', async () => {
    const respond = (n: number) => `module.exports = async ({ args }) => ({ raw: { n: ${n}, args } });\n`;
    const cwd = folderWith(cardFiles(BARE, { 'code.js': respond(1), 'args.json': '{}' }));
    const words = ['formula', 'run', '.', ...ON, '--args', '@args.json', '--watch', '-o', 'jsonl'];
    const { texts, stop } = startCommand(words, { cwd });
    const printed = (text: string) => vi.waitFor(() => expect(texts.out).toContain(text), { timeout: 20_000 });
    await printed('{"raw":{"n":1,"args":{}}}');
    writeFileSync(join(cwd, 'draft'), respond(2));
    renameSync(join(cwd, 'draft'), join(cwd, 'code.js'));
    await printed('"n":2');
    writeFileSync(join(cwd, 'code.js'), 'module.exports = async () => { throw new Error("three"); };');
    await vi.waitFor(() => expect(texts.err).toContain('three'), { timeout: 20_000 });
    writeFileSync(join(cwd, 'code.js'), 'module.exports = async () => { for (;;); };');
    for (let n = 4; n <= 9; n++) writeFileSync(join(cwd, 'code.js'), respond(n));
    await printed('"n":9');
    writeFileSync(join(cwd, 'args.json'), '{"a":1}');
    await printed('"n":9,"args":{"a":1}');
    rmSync(join(cwd, 'code.js'));
    await vi.waitFor(() => expect(texts.err).toContain('code-missing'), { timeout: 20_000 });
    mkdirSync(join(cwd, 'tests'));
    writeFileSync(join(cwd, 'code.js'), respond(10));
    await printed('"n":10');
    expect(await stop()).toBe(0);
    expect(texts.err).toMatch(/^Watching for changes. Press Ctrl-C to stop.\n/m);
    expect(texts.err).toContain('\n--- run 2 ---\n');
    expect(texts.out.match(/"n":[5678],/g)?.length ?? 0).toBeLessThan(3);
  });
});
