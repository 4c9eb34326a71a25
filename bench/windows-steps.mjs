/** What `npm run check:windows` runs: each command as a user of Windows would, with its exit code and output. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { holdOpen, runTool } from './wine.mjs';

/** Runs the tool, and compares its exit code and parts of what it prints. */
export function expectRun(world, words, { code = 0, out = [], err = [], ...options } = {}) {
  const ran = runTool(world, words, options);
  const shown = `formulary ${words.join(' ')}\nexit code ${ran.code}, must be ${code}\n${ran.out}${ran.err}`;
  assert.ok(ran.code === code, shown);
  for (const text of [out].flat()) assert.ok(ran.out.includes(text), `${shown}\nstdout must contain: ${text}`);
  for (const text of [err].flat()) assert.ok(ran.err.includes(text), `${shown}\nstderr must contain: ${text}`);
  return ran;
}

function write(world, files) {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(world.cwd, name)), { recursive: true });
    writeFileSync(join(world.cwd, name), text);
  }
}

const textOf = (world, file) => readFileSync(join(world.cwd, file), 'utf8');
const lockOf = (world) => JSON.parse(textOf(world, 'formulas.lock.json')).targets.staging;

export async function offline(world, step, hasNative) {
  const run = (...args) => expectRun(world, ...args);
  await step('help: the folders of Windows', () => run(['help', 'files'], { out: '%APPDATA%\\formulary' }));
  await step('init', () =>
    run(['formula', 'init', 'Greet'], { out: 'Greet/manifest.json\n', err: 'formulary formula test Greet\n' }),
  );
  await step('init: a hint for cmd.exe and PowerShell', () =>
    run(['formula', 'init', 'two words'], { err: 'formulary formula test "two words"\n' }),
  );
  await step('init: paths with slashes', () =>
    run(['formula', 'init', '.\\sub\\deep'], { out: './sub/deep/manifest.json\n' }),
  );
  await step('init: refuses device names', () => {
    for (const name of ['aux', 'CON', 'nul.txt', 'COM1'])
      run(['formula', 'init', name], { code: 2, err: 'a device name on Windows' });
  });
  await step('validate', () => run(['formula', 'validate', '.'], { out: ['Greet: valid\n', 'sub/deep: valid\n'] }));
  await step('validate: one folder in two letter cases', () => {
    const { out } = run(['formula', 'validate', 'greet', '.\\GREET'], { out: 'greet: valid\n' });
    assert.equal(out, 'greet: valid\n');
  });
  await step('validate: an error with its place', () => {
    write(world, { 'broken/manifest.json': '{}', 'broken/code.js': 'module.exports = async () => ({ raw: {} });\n' });
    run(['formula', 'validate', '.\\broken'], { code: 3, out: './broken: invalid\n'.slice(2) });
    run(['formula', 'validate', 'broken'], { code: 3, out: 'broken/manifest.json:1:1 error' });
  });
  const manifest = { name: 'Fails', type: 'private', configuration: [], request_parameters: [] };
  write(world, {
    'args.json': '{"customer": {"name": "Ada"}}',
    'configuration.json': '{"GREETING": "Hello"}',
    'other/fails/manifest.json': JSON.stringify(manifest),
    'other/fails/code.js':
      "module.exports = async ({ args: { file } }) => {\n  if (file) return require(['.', 'lib', 'a.js'].join('/'));\n  throw new Error('no');\n};\n",
    'other/fails/lib/a.js': 'module.exports = 1;\n',
    'other/bundled/manifest.json': JSON.stringify({ ...manifest, name: 'Bundled' }),
    'other/bundled/code.ts': "import { fail } from './lib/fail.ts';\nexport default async () => fail();\n",
    'other/bundled/lib/fail.ts': "export const fail = (): never => {\n  throw new Error('no');\n};\n",
    'other/loops/manifest.json': JSON.stringify({ ...manifest, name: 'Loops' }),
    'other/loops/code.js': 'module.exports = async () => {\n  for (;;);\n};\n',
  });
  const flags = ['--args', '@args.json', '--configuration', '@configuration.json'];
  await step('run', () => run(['formula', 'run', 'Greet', ...flags], { out: '"greeting": "Hello, Ada"' }));
  await step('run: the place of an error', () =>
    run(['formula', 'run', 'other\\fails'], { code: 1, err: '(code.js:3:9)' }),
  );
  await step('run: a file that is not sent', () =>
    run(['formula', 'run', 'other/fails', '--args', '{"file":true}'], {
      code: 1,
      err: "Cannot find module './lib/a.js'",
    }),
  );
  await step(
    'run: the place of an error in a bundled file',
    () => run(['formula', 'run', 'other/bundled'], { code: 1, err: '(lib/fail.ts:2:9)' }),
    hasNative,
  );
  await step('run: ends code that does not', () =>
    run(['formula', 'run', 'other/loops', '--timeout', '1'], { code: 1, err: 'within 1 s' }),
  );
  await step('test', () => run(['formula', 'test', 'Greet'], { out: 'Greet/tests/greets.json: ', err: '2 passed' }));
  await step(
    'test: TypeScript, bundled by esbuild',
    () => {
      run(['formula', 'init', 'sub\\typed', '--template', 'ts']);
      run(['formula', 'test', 'sub'], { out: 'sub/typed/tests/greets.json: ' });
    },
    hasNative,
  );
}

export async function embedded(world, step, hasNative) {
  const run = (...args) => expectRun(world, ...args);
  await step(
    'push --local: the data file in AppData',
    () => {
      run(['formula', 'push', 'Greet', '--local'], { out: 'created' });
      run(['formula', 'list', '--local'], { out: 'Greet' });
      assert.ok(existsSync(join(world.env.WINEPREFIX, 'drive_c/users')));
    },
    hasNative,
  );
  await step('doctor --local', () => run(['doctor', '--local'], { out: 'AppData\\Local\\formulary' }), hasNative);
}

export async function online(world, step, { url, key, hasNative }) {
  const run = (words, options = {}) =>
    expectRun(world, words, { ...options, env: { FORMULARY_TARGET: 'staging', ...options.env } });
  await step('auth login, with the key on stdin', () =>
    run(['auth', 'login', '--base-url', url], { stdin: `${key}\r\n`, out: '…IJ01' }),
  );
  await step('auth status', () => run(['auth', 'status'], { out: [url, '…IJ01 (saved by auth login)'] }));
  await step('doctor', () => run(['doctor'], { out: ['AppData\\Roaming\\formulary', 'accepted for reading'] }));
  await step('create', () => run(['formula', 'create', 'Greet'], { out: 'Greet' }));
  await step('create: refuses a second one', () =>
    run(['formula', 'create', 'Greet'], { code: 6, err: 'formulary formula update' }),
  );
  await step('push', () => run(['formula', 'push', 'Greet', 'two words'], { out: ['unchanged', 'created'] }));
  await step('push: lock file keys with slashes', () => {
    run(['formula', 'push', '.\\sub'], { out: 'sub/deep' });
    assert.ok(Object.keys(lockOf(world)).includes('sub/deep'), textOf(world, 'formulas.lock.json'));
  });
  await step('push: one entry for a folder in any letter case', () => {
    const text = textOf(world, 'formulas.lock.json');
    run(['formula', 'push', 'GREET'], { out: 'unchanged' });
    assert.equal(textOf(world, 'formulas.lock.json'), text);
    write(world, { 'formulas.lock.json': text.replace('"Greet"', '"GREET"') });
    run(['formula', 'push', 'greet'], { out: 'unchanged' });
    assert.equal(textOf(world, 'formulas.lock.json'), text);
  });
  await step('diff: nothing after a push', () => {
    run(['formula', 'diff', 'Greet', 'sub']);
  });
  await step('diff: a change', () => {
    write(world, { 'Greet/code.js': `${textOf(world, 'Greet/code.js')}// changed\n` });
    run(['formula', 'diff', 'Greet'], { code: 10, out: '+// changed' });
  });
  await step('push: the change', () => run(['formula', 'push', 'Greet'], { out: 'updated' }));
  await step('pull', () => {
    run(['formula', 'pull', '--dir', 'all\\pulled'], { out: ['all/pulled/greet', 'all/pulled/two-words'] });
    assert.equal(textOf(world, 'all/pulled/greet/code.js'), textOf(world, 'Greet/code.js'));
    run(['formula', 'pull', '--dir', 'all/pulled'], { out: '' });
  });
  await step('pull: creates no folder with a device name', () =>
    run(['formula', 'pull', '--dir', 'nul'], { code: 2, err: 'a device name on Windows' }),
  );
  await step('history', () => run(['formula', 'history'], { out: 'Greet' }));
  await step('restore', () => {
    const [{ entry }] = JSON.parse(run(['formula', 'history', '--json']).out);
    run(['formula', 'restore', entry, '--yes'], { out: 'Greet' });
    assert.ok(!run(['formula', 'get', 'Greet', '--code']).out.includes('// changed'));
  });
  await heldFile(world, step, run, hasNative);
  await step('delete', () => run(['formula', 'delete', 'two words', '--yes'], { out: 'deleted' }));
  await step('auth logout', () => {
    run(['auth', 'logout']);
    run(['auth', 'status'], { code: 2 });
  });
}

async function heldFile(world, step, run, hasNative) {
  const init = (name) => run(['formula', 'init', name]);
  await step(
    'push: waits for a program that has the lock file open',
    async () => {
      init('short');
      const { closed } = await holdOpen(world, 'formulas.lock.json', '.formulary-*');
      run(['formula', 'push', 'short'], { out: 'created' });
      await closed;
      assert.ok('short' in lockOf(world), textOf(world, 'formulas.lock.json'));
    },
    hasNative,
  );
  await step(
    'push: says that a program has the lock file open',
    async () => {
      init('long');
      const { child, closed } = await holdOpen(world, 'formulas.lock.json', 'no such file');
      try {
        run(['formula', 'push', 'long'], { code: 7, err: 'another program may have it open' });
      } finally {
        child.kill();
        await closed;
      }
    },
    hasNative,
  );
}
