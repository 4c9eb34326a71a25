/** Benchmark: the analysis of 6 KB of code, relative to acorn alone. Prints medians of processor time, warm and cold. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const ROUNDS = 15;
const BATCH = 20;
const PROCESSES = 15;

/** The examples in a row, each in a function of its own, to about 6 KB. */
function sample() {
  const codes = ['map-webhook', 'sign-payload', 'tokenize-card'].map((name) =>
    readFileSync(at(`formulas-example/${name}/code.js`), 'utf8').replace("'use strict';\n", ''),
  );
  const wrapped = [...codes, ...codes.slice(0, 1)].map(
    (code) => `(() => {\n${code.replaceAll('module.exports', 'handlers.last')}})();\n`,
  );
  return `const handlers = {};\n${wrapped.join('')}${codes.at(-1)}`;
}

const ENTRY = `
import { parse } from 'acorn';
import { analyzeProgram } from './src/code/analysis.ts';
import { parseCode } from './src/code/parse/parse.ts';
export const whole = async (text) => analyzeProgram((await parseCode(text)).program);
export const bare = async (text) => parse(text, { ecmaVersion: 2022, sourceType: 'commonjs' });
`;

const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];

/** Processor time of one run in milliseconds, measured over a batch, to reduce the effect of other processes. */
async function batch(work) {
  const start = process.cpuUsage();
  for (let i = 0; i < BATCH; i++) await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000 / BATCH;
}

async function warm(work) {
  const times = [];
  for (let i = 0; i < ROUNDS; i++) times.push(await batch(work));
  return median(times.slice(ROUNDS / 3));
}

const folder = mkdtempSync(join(tmpdir(), 'formulary-bench-'));
try {
  const outfile = join(folder, 'analysis.cjs');
  const codeFile = join(folder, 'code.txt');
  const stdin = { contents: ENTRY, resolveDir: at('.'), loader: 'ts' };
  await build({
    stdin,
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    mainFields: ['module', 'main'],
    logLevel: 'error',
  });
  const text = sample();
  writeFileSync(codeFile, text);

  const { whole, bare } = (await import(outfile)).default;
  const [wholeMs, bareMs] = [await warm(() => whole(text)), await warm(() => bare(text))];
  const first = (name) => {
    const script = `const { readFileSync } = require('fs'); const tool = require(process.argv[1]); const text = readFileSync(process.argv[2], 'utf8');
      const start = process.cpuUsage(); tool[process.argv[3]](text).then(() => console.log(process.cpuUsage(start).user / 1000));`;
    const once = () =>
      Number(execFileSync(process.execPath, ['-e', script, outfile, codeFile, name], { encoding: 'utf8' }));
    return median(Array.from({ length: PROCESSES }, once));
  };
  const [wholeFirst, bareFirst] = [first('whole'), first('bare')];
  const row = (name, a, b) =>
    console.log(`${name}: analysis ${a.toFixed(2)} ms, acorn alone ${b.toFixed(2)} ms, ratio ${(a / b).toFixed(2)}`);
  console.log(`analysis of ${text.length} characters of code`);
  row('warm ', wholeMs, bareMs);
  row('first', wholeFirst, bareFirst);
} finally {
  rmSync(folder, { recursive: true });
}
