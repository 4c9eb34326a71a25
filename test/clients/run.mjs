/**
 * Runs HTTP clients and formulas in the style of public ones with doubles, on each Node.js: `npm run test:clients -- [16|20|22|24]`.
 * The packages are installed into a temporary folder.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installNode } from '../helpers/real-node.mjs';
import { FORMULAS } from './formulas.mjs';
import { CLIENTS } from './snippets.mjs';

const PACKAGES = {
  axios0: 'npm:axios@0.27.2',
  axios: '1.7.9',
  'node-fetch2': 'npm:node-fetch@2.7.0',
  'node-fetch': '3.3.2',
  got: '11.8.6',
  undici: '5.28.4',
  stripe: '14.25.0',
  superagent: '8.1.2',
};
const TOOL = join(import.meta.dirname, '../../bin/formulary.js');
const RELEASES = ['16', '20', '22', '24'];
const chosen = process.argv.slice(2).filter((word) => RELEASES.includes(word));

const write = (path, value) => writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value));

/** Writes a formula folder. */
function writeFormula(folder, name, code, tests, contract = {}) {
  mkdirSync(join(folder, 'tests'), { recursive: true });
  write(join(folder, 'manifest.json'), {
    name,
    type: 'private',
    configuration: [],
    request_parameters: [],
    ...contract,
  });
  write(join(folder, 'code.js'), code);
  write(join(folder, 'tests/a.json'), tests);
}

/** A formula for each client; its calls with a double pass, those without fail. */
function writeClients(top, major) {
  for (const [i, { name, code, since = 0, isInsecure, method = 'POST', request, body }] of CLIENTS.entries()) {
    if (major < since) continue;
    const url = `${isInsecure ? 'http' : 'https'}://api.example.com/charges?x=1`;
    const http = request ?? `${method} ${url}`;
    const expected = { request: http, ...(method === 'POST' && { body: body ?? { amount: 5 } }) };
    const tests = [
      {
        name: `${name}: doubled`,
        args: { url },
        doubles: { http: [{ ...expected, response: { status: 201, json: { ok: true } } }] },
        expect: { raw: { status: 201, ok: true }, calls: [{ http }] },
      },
      {
        name: `${name}: error`,
        args: { url },
        doubles: { http: [{ request: http, times: 'any', error: 'ECONNRESET' }] },
        expect: { error: {} },
      },
      { name: `${name}: undoubled`, args: { url }, expect: { error: {} } },
    ];
    const source = `const call = async (url) => {\n  ${code}\n};\nmodule.exports = async ({ args }) => ({ raw: await call(args.url) });\n`;
    writeFormula(join(top, `client-${i}`), name, source, tests, {
      request_parameters: [{ name: 'url', type: 'string' }],
    });
  }
}

function writeFormulas(top) {
  for (const [i, [name, code, { args = {}, doubles = {}, raw, error }]] of FORMULAS.entries()) {
    const test = { name, args, configuration: { KEY: 'example' }, doubles, expect: error ? { error } : { raw } };
    writeFormula(join(top, `formula-${i}`), name, code, test, { configuration: [{ name: 'KEY', type: 'string' }] });
  }
}

/** Whether a test ended as it should: a call without a double fails it, with its place. */
const isExpected = ({ case: name, outcome, error }) =>
  /: undoubled$/.test(name ?? '')
    ? /^code\.js:\d+:\d+: no double for /.test(error?.message ?? '')
    : outcome === 'passed';

function outcomeOn(release, top) {
  const node = release === '20' ? process.execPath : installNode(release);
  if (!node) return 'not available';
  const folder = join(top, release);
  writeClients(folder, Number(release));
  writeFormulas(folder);
  const { stdout, stderr } = spawnSync(process.execPath, [TOOL, 'formula', 'test', folder, '--node', node, '--json'], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  if (stdout === '') return `failed: ${stderr}`;
  const { items } = JSON.parse(stdout);
  const wrong = items.filter((item) => !isExpected(item));
  for (const item of wrong)
    process.stdout.write(
      `  ${item.case ?? item.folder}: ${item.error?.message ?? JSON.stringify(item.findings ?? item.outcome)}\n`,
    );
  const clients = new Set(items.map(({ folder: name }) => name).filter((name) => /client-\d+$/.test(name))).size;
  return wrong.length === 0
    ? `passed (${clients} clients, ${FORMULAS.length} formulas, ${items.length} tests)`
    : 'failed';
}

const top = mkdtempSync(join(tmpdir(), 'formulary-clients-'));
try {
  write(join(top, 'package.json'), { private: true, dependencies: PACKAGES });
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: top, stdio: 'inherit' });
  const outcomes = (chosen.length > 0 ? chosen : RELEASES).map((release) => `${release}: ${outcomeOn(release, top)}`);
  for (const outcome of outcomes) process.stdout.write(`Node.js ${outcome}\n`);
  process.exitCode = outcomes.every((outcome) => /: (passed|not available)/.test(outcome)) ? 0 : 1;
} finally {
  rmSync(top, { recursive: true, force: true });
}
