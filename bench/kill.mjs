/**
 * Services that share a data file are killed while clients create, rename, and delete; counts lost confirmed writes.
 *   npm run build && node bench/kill.mjs [--rounds N (20)] [--services N (2)] [--clients N (8)] [--seconds S (1.5)]
 * Exits with 1 if a write was lost, or the file is damaged.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';

const TOOL = join(import.meta.dirname, '../bin/formulary.js');
const KEY = 'key-of-the-benchmark';
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '20' },
    services: { type: 'string', default: '2' },
    clients: { type: 'string', default: '8' },
    seconds: { type: 'string', default: '1.5' },
  },
});
const [rounds, count, clients, seconds] = [values.rounds, values.services, values.clients, values.seconds].map(Number);
const folder = mkdtempSync(join(tmpdir(), 'formulary-kill-'));
const file = join(folder, 'x.db');

async function startService() {
  const child = spawn(process.execPath, [TOOL, 'service', 'start', '--data', file], {
    env: { FORMULARY_SERVICE_KEY: KEY },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(child.stdout, 'data');
  return { child, address: String(line).trim() };
}

const ask = (address, method, path, body) =>
  fetch(`${address}/reactor-formulas${path}`, {
    method,
    headers: { 'svc-api-key': KEY, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });

const bodyOf = (name) => ({ name, type: 'private', code: 'c'.repeat(4000), configuration: [], request_parameters: [] });

/** The confirmed state of each formula: its name, or `deleted`. Unconfirmed requests are in neither. */
const answered = new Map();
let [writes, unanswered] = [0, 0];

/** Writes until the service is gone. */
async function write(address) {
  for (let turn = 0; ; turn += 1) {
    let id;
    try {
      ({ id } = await (await ask(address, 'POST', '', bodyOf('made'))).json());
      answered.set(id, 'made');
      writes += 1;
      if (turn % 3 === 0) continue;
      answered.delete(id);
      const changed = await (turn % 3 === 1
        ? ask(address, 'PUT', `/${id}`, bodyOf('renamed'))
        : ask(address, 'DELETE', `/${id}`));
      await changed.text();
      if (!changed.ok) throw new Error(`answered ${changed.status}`);
      answered.set(id, turn % 3 === 1 ? 'renamed' : 'deleted');
      writes += 1;
    } catch {
      unanswered += 1;
      return;
    }
  }
}

const began = performance.now();
for (let round = 0; round < rounds; round += 1) {
  const services = await Promise.all(Array.from({ length: count }, startService));
  const writing = Array.from({ length: clients }, (_, i) => write(services[i % count].address));
  await delay(seconds * 1000 * (0.5 + Math.random()));
  for (const { child } of services) child.kill('SIGKILL');
  await Promise.all(writing);
}
const took = (performance.now() - began) / 1000;

const { child, address } = await startService();
const found = new Map();
for (let page = 1, more = true; more; page += 1) {
  const { data } = await (await ask(address, 'GET', `?page=${page}&size=100`)).json();
  for (const { id, name } of data) found.set(id, name);
  more = data.length === 100;
}
child.kill('SIGTERM');
await once(child, 'close');
rmSync(folder, { recursive: true, force: true });
const lost = [...answered].filter(([id, said]) => (found.get(id) ?? 'deleted') !== said);
console.log(
  `${rounds} rounds, ${count} services on one file, ${clients} clients, ${took.toFixed(0)} s: ${writes} writes answered, ${unanswered} cut off by a kill, ${found.size} formulas kept, ${lost.length} lost`,
);
process.exitCode = lost.length > 0 ? 1 : 0;
