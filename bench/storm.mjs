// Creates formulas with the built tool, many processes at once, against a service that fails at random, and compares
// each exit code with the actual result:
//
//   node bench/storm.mjs [--creates 1000] [--batch 100] [--jobs 8] [--share 40] [--mode mixed] [--seed 1]
//
// Expected: no formula twice, no success without the formula (0), no "nothing changed" with it (8), and nothing but 0, 8, 9.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { MODES, startService } from './storm-service.mjs';

const TOOL = join(import.meta.dirname, '../bin/formulary.js');
const CODE = 'module.exports = async ({ args }) => ({ raw: args });\n';

const number = (preset) => ({ type: 'string', default: String(preset) });
const { values } = parseArgs({
  options: {
    creates: number(1000),
    batch: number(100),
    jobs: number(8),
    share: number(40),
    seed: number(1),
    mode: { type: 'string', default: 'mixed' },
  },
});
const [creates, batch, jobs, share, seed] = ['creates', 'batch', 'jobs', 'share', 'seed'].map((name) =>
  Number(values[name]),
);
if (!MODES.includes(values.mode)) {
  console.error(`--mode ${values.mode} is not known; there are ${MODES.join(', ')}`);
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), 'formulary-storm-'));
const wrong = [];
const totals = {};
const faults = {};
for (let begun = 0; begun < creates; begun += batch)
  await runBatch(seed + begun / batch, Math.min(batch, creates - begun));
rmSync(folder, { recursive: true, force: true });
console.log(`${creates} creates, mode ${values.mode}, seeds from ${seed}, ${jobs} at once`);
console.log(`exit codes ${JSON.stringify(totals)}`);
console.log(`faults met ${JSON.stringify(faults)}`);
for (const line of wrong) console.log(`WRONG ${line}`);
console.log(wrong.length === 0 ? 'no duplicate, no false success, each exit code true' : `${wrong.length} wrong`);
process.exitCode = wrong.length === 0 ? 0 : 1;

/** One service of its own for a batch, so that the lists stay short. */
async function runBatch(batchSeed, count) {
  const service = await startService({ mode: values.mode, seed: batchSeed, share });
  const names = Array.from({ length: count }, (_, i) => `Storm ${batchSeed}-${i}`);
  const queue = names.values();
  const work = async () => {
    for (const name of queue) judge(name, await create(name, service.url), service.formulas, batchSeed);
  };
  await Promise.all(Array.from({ length: jobs }, work));
  // Again at the end: results must remain true.
  for (const name of names)
    if (made(name, service.formulas) > 1) wrong.push(`seed ${batchSeed}: ${name} is there twice`);
  for (const [name, met] of Object.entries(service.faults)) faults[name] = (faults[name] ?? 0) + met;
  service.stop();
}

function made(name, formulas) {
  return formulas.filter((formula) => formula.name === name).length;
}

function judge(name, { code, err }, formulas, batchSeed) {
  totals[code] = (totals[code] ?? 0) + 1;
  const count = made(name, formulas);
  const isTrue = { 0: count === 1, 8: count === 0, 9: count <= 1 }[code] ?? false;
  if (!isTrue) wrong.push(`seed ${batchSeed}: ${name} ended with ${code}, and is there ${count} times: ${err.trim()}`);
}

/** Each process has a state folder of its own, otherwise they would wait for the write lock. */
function create(name, url) {
  const home = mkdtempSync(join(folder, 'h-'));
  const formula = join(home, 'formula');
  mkdirSync(formula);
  const manifest = { name, type: 'private', configuration: [], request_parameters: [] };
  writeFileSync(join(formula, 'manifest.json'), JSON.stringify(manifest));
  writeFileSync(join(formula, 'code.js'), CODE);
  const words = ['formula', 'create', formula, '--json', '--timeout', '10', '--retry-timeout', '30'];
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    XDG_STATE_HOME: join(home, 'state'),
    FORMULARY_BASE_URL: url,
    FORMULARY_API_KEY: 'key_storm_storm',
  };
  return new Promise((done) => {
    const child = spawn(process.execPath, [TOOL, ...words], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    let err = '';
    child.stderr.on('data', (text) => {
      err += text;
    });
    child.once('close', (code) => done({ code, err }));
  });
}
