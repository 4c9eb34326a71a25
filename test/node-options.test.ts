/** Options of Node.js that users set in NODE_OPTIONS: the tool works, or an error names the option and what to do. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BARE, cardFiles, folderWith, inFolder } from './helpers/folders.ts';
import { json, loopback } from './helpers/loopback.ts';
import { runTool } from './helpers/tool-process.ts';

const ROOT = join(import.meta.dirname, '..');
const MAJOR = Number.parseInt(process.versions.node, 10);
const PERMISSION = MAJOR < 22 ? '--experimental-permission' : '--permission';
/** What is read is not what these are about. */
const READING = `${PERMISSION} --allow-fs-read=*`;

/** Runs a command line in a folder with the formulas `card` and `typed`, against a service without formulas. */
async function runWith(options: string, line: string) {
  const { url, requests } = await loopback((_, response) =>
    json(response, 200, { data: [], pagination: { total_items: 0, total_pages: 1 } }),
  );
  const code = 'module.exports = async () => ({ raw: { environment: Object.keys(process.env) } });';
  const test = JSON.stringify({ expect: { raw: { environment: ['TZ'] } } });
  const { 'code.js': _, ...typed } = cardFiles({ name: 'typed' });
  const cwd = folderWith({
    ...inFolder('card', cardFiles(BARE, { 'code.js': code, 'tests/environment.json': test })),
    ...inFolder('typed', { ...typed, 'code.ts': 'export default async ({ args }: any) => ({ raw: args });' }),
    ...inFolder('broken', cardFiles({}, { 'code.js': 'let a; let a;' })),
  });
  const home = folderWith();
  const env = {
    FORMULARY_BASE_URL: url,
    FORMULARY_API_KEY: 'key_of-the-test',
    FORMULARY_LOCAL_DATA: join(cwd, 'local.db'),
    XDG_STATE_HOME: home,
    // Node.js itself warns of some of the options.
    NODE_OPTIONS: `${options} --no-warnings`,
  };
  return { ...(await runTool(line.split(' '), { cwd, env })), cwd, requests };
}

/** An option, a command that does not work with it, and the message: CWD is the folder. */
type Refusal = [options: string, line: string, cause: string];

const NO_CHILD = 'could not run the code: Node.js does not allow child processes';
const NO_LIBSQL = 'could not load libsql, which the embedded service needs: Node.js does not load native addons';

const REFUSALS: Refusal[] = [
  ['--jitless', 'formula list', 'could not send requests: Node.js runs without WebAssembly'],
  ['--no-addons', 'formula list --local', NO_LIBSQL],
  [READING, 'formula list --local', NO_LIBSQL],
  [READING, 'formula run card', NO_CHILD],
  [
    `${READING} --allow-addons`,
    'formula create card --local',
    'the data file CWD/local.db cannot be opened: Node.js does not allow writing it',
  ],
  [READING, 'formula types card', 'could not write card/formula.d.ts: Node.js does not allow writing it'],
  [
    `${PERMISSION} "--allow-fs-read=${ROOT}"`,
    'formula validate card',
    'could not read the folder card: Node.js does not allow reading it',
  ],
];

if (MAJOR < 24) {
  REFUSALS.push(
    ['--jitless', 'service start', 'could not serve HTTP: Node.js runs without WebAssembly'],
    ['--no-experimental-fetch', 'service start', 'could not serve HTTP: Node.js runs without fetch'],
  );
}
if (process.allowedNodeEnvironmentFlags.has('--allow-net')) {
  const cause = 'Node.js does not allow network connections';
  REFUSALS.push(
    [READING, 'formula list', `could not connect to the service: ${cause}`],
    [`${READING} --allow-fs-write=* --allow-addons`, 'service start', `could not serve HTTP: ${cause}`],
  );
}

/** Options that take nothing away that the tool needs, all at once. */
const HARMLESS = `--disable-proto=throw --disallow-code-generation-from-strings --frozen-intrinsics
  --max-http-header-size=1 --max-old-space-size=64 --no-experimental-require-module --pending-deprecation
  --preserve-symlinks --preserve-symlinks-main --stack-trace-limit=0 --throw-deprecation
  --unhandled-rejections=strict --use-openssl-ca`.replace(/\s+/g, ' ');

describe('an option in NODE_OPTIONS that removes a feature that a command needs', () => {
  it.each(REFUSALS)('%s is reported by %s, before anything is sent', async (options, line, cause) => {
    const { status, out, err, cwd, requests } = await runWith(options, line);
    const messages = err.replace(/^(note|warning|Service): .*\n(hint: .*\n)?/gim, '').replaceAll(cwd, 'CWD');
    const hint = `Change the options in NODE_OPTIONS, which restrict Node.js: ${options} --no-warnings`;
    expect({ status, out, messages }).toEqual({ status: 2, out: '', messages: `error: ${cause}\nhint: ${hint}\n` });
    expect(requests).toEqual([]);
  });

  it('is reported by the finding for code that must be bundled', async () => {
    const { status, out } = await runWith(READING, 'formula validate typed --json');
    expect(status).toBe(3);
    expect(JSON.parse(out).items[0].findings).toEqual([
      expect.objectContaining({
        message: `could not load esbuild, which bundles code.ts and code.mjs: Node.js does not allow child processes`,
        fix: expect.stringContaining('NODE_OPTIONS'),
      }),
    ]);
  });

  it.runIf(MAJOR >= 22)('is reported if the tool cannot even read its own files', async () => {
    const { status, out, err } = await runWith(PERMISSION, '--version');
    expect({ status, out }).toEqual({ status: 2, out: '' });
    expect(err).toBe(
      `formulary could not read its own files: Node.js does not allow it (--permission). Add --allow-fs-read=${ROOT} to the option.\n`,
    );
  });
});

describe('options in NODE_OPTIONS that remove optional features', () => {
  it.each([
    ['--version', 0],
    ['formula validate card typed', 0],
    ['formula validate broken', 3],
    ['formula list', 0],
    ['formula push card --local', 0],
    ['formula run card', 0],
    // Its code has none of the options in its environment.
    ['formula test card', 0],
  ])('change nothing of %s', async (line, expected) => {
    const { status, err } = await runWith(HARMLESS, line);
    expect({ status, err }).toEqual({ status: expected, err: expect.not.stringMatching(/error|warning/i) });
  });

  it
    .runIf(process.allowedNodeEnvironmentFlags.has('--permission-audit'))
    .each(['formula list', 'formula run card', 'formula validate card typed'])(
    '--permission-audit: %s',
    async (line) => {
      const { status } = await runWith('--permission-audit', line);
      expect(status).toBe(0);
    },
  );

  it.each([
    ['--jitless', 'formula push card --local', 0],
    ['--jitless', 'formula test card', 0],
    // It has neither threads nor an inspector.
    [READING, 'formula validate card broken', 3],
  ])('%s: %s', async (options, line, expected) => {
    const { status } = await runWith(options, line);
    expect(status).toBe(expected);
  });
});
