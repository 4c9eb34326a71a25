// Pushes a tree of folders against a service that fails at random, interrupts the push twice, and pushes again until it
// succeeds; then compares the service with the folders:
//
//   node bench/push-storm.mjs [--folders 500] [--seeds 20] [--from 1] [--share 30] [--concurrency 8]
//
// Expected: each folder exists exactly once with its own content, and no push exits with 0 before.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startService } from './storm-service.mjs';

const TOOL = join(import.meta.dirname, '../bin/formulary.js');
const MAX_RUNS = 30;
const INTERRUPTS = 2;

const number = (preset) => ({ type: 'string', default: String(preset) });
const { values } = parseArgs({
  options: { folders: number(500), seeds: number(20), from: number(1), share: number(30), concurrency: number(8) },
});
const [folders, seeds, from, share] = ['folders', 'seeds', 'from', 'share'].map((name) => Number(values[name]));

const codeOf = (i) => `module.exports = async () => ({ raw: { number: ${i} } });\n`;
let wrong = 0;
for (let seed = from; seed < from + seeds; seed++) {
  const problems = await storm(seed);
  for (const problem of problems) console.log(`WRONG seed ${seed}: ${problem}`);
  wrong += problems.length;
}
console.log(wrong === 0 ? 'every folder once, with its own content, and every exit code true' : `${wrong} wrong`);
process.exitCode = wrong === 0 ? 0 : 1;

async function storm(seed) {
  const place = mkdtempSync(join(tmpdir(), 'formulary-push-storm-'));
  const tree = join(place, 'formulas');
  for (let i = 0; i < folders; i++) {
    mkdirSync(join(tree, `f${i}`), { recursive: true });
    const manifest = { name: `Storm ${i}`, type: 'private', configuration: [], request_parameters: [] };
    writeFileSync(join(tree, `f${i}`, 'manifest.json'), JSON.stringify(manifest));
    writeFileSync(join(tree, `f${i}`, 'code.js'), codeOf(i));
  }
  const service = await startService({ mode: 'mixed', seed, share });
  const problems = [];
  const codes = [];
  for (let run = 0; run < MAX_RUNS; run++) {
    // Interrupted after a number of new formulas, not after a time, because the computer may be slow.
    const stopAt = run < INTERRUPTS ? service.formulas.length + 20 + ((seed * 37) % 100) : Number.POSITIVE_INFINITY;
    const { code, summary } = await push(tree, place, service, stopAt);
    codes.push(code);
    problems.push(...falseWords(code, summary, service.formulas));
    if (code === 0) break;
  }
  problems.push(...differences(service.formulas));
  if (codes.at(-1) !== 0) problems.push(`not done after ${codes.length} pushes`);
  const faults = Object.values(service.faults).reduce((sum, count) => sum + count, 0);
  console.log(`seed ${seed}: ${service.formulas.length} formulas, exit codes ${codes.join(' ')}, ${faults} faults met`);
  service.stop();
  rmSync(place, { recursive: true, force: true });
  return problems;
}

/** What a push claimed that is not so. */
function falseWords(code, summary, formulas) {
  const present = new Set(formulas.map(({ name }) => name)).size;
  const claimed = summary ? summary.created + summary.unchanged : 0;
  return [
    ...([0, 7, 8, 9, 130].includes(code) ? [] : [`ended with ${code}`]),
    ...(claimed > present ? [`claimed ${claimed} formulas where ${present} are`] : []),
    ...(code === 0 && present < folders ? [`ended with 0 where ${present} of ${folders} formulas are`] : []),
  ];
}

function differences(formulas) {
  const byName = new Map();
  for (const { name, code } of formulas) byName.set(name, [...(byName.get(name) ?? []), code]);
  const problems = [];
  for (let i = 0; i < folders; i++) {
    const found = byName.get(`Storm ${i}`) ?? [];
    if (found.length !== 1) problems.push(`Storm ${i} is there ${found.length} times`);
    else if (found[0] !== codeOf(i)) problems.push(`Storm ${i} has the code of another`);
  }
  return problems;
}

function push(tree, place, service, stopAt) {
  const words = ['formula', 'push', tree, '--json', '--concurrency', values.concurrency];
  const env = {
    PATH: process.env.PATH,
    HOME: place,
    FORMULARY_BASE_URL: service.url,
    FORMULARY_API_KEY: 'key_storm_storm',
    FORMULARY_TARGET: 'storm',
  };
  const child = spawn(process.execPath, [TOOL, ...words, '--timeout', '10', '--retry-timeout', '30'], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let out = '';
  child.stdout.on('data', (text) => {
    out += text;
  });
  const watch = setInterval(() => {
    if (service.formulas.length < stopAt) return;
    clearInterval(watch);
    child.kill('SIGINT');
  }, 2);
  return new Promise((done) =>
    child.once('close', (code) => {
      clearInterval(watch);
      done({ code, summary: out === '' ? undefined : JSON.parse(out).summary });
    }),
  );
}
