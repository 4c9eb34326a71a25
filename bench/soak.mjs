// Runs the embedded service and a process with many commands for a while, and checks whether their resources grow:
//
//   npm run build && npm run bench:soak -- [--minutes 5]
//
// The second half counts, after caches are warm. Exits with 1 if memory, handles, or open files of one of them grow.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { TOOL, withFolder } from './processes.mjs';
import { choices } from './random.mjs';

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '5' } } });
const minutes = Number(values.minutes);
if (!(minutes > 0)) {
  console.error(`--minutes ${values.minutes} is no number of minutes`);
  process.exit(2);
}

const KEY = 'key-of-the-soak-0123456789';
const SAMPLES = 30;
const CLIENTS = 4;
/** How much each may grow over the second half: memory as a share of what is held, the others as a count. */
const MAY_GROW = { heap: 0.1, rss: 0.15, handles: 3, files: 3 };

await withFolder(async (folder) => {
  const children = [];
  try {
    const samples = await soak(folder, children);
    for (const [name, list] of Object.entries(samples)) judge(name, list.slice(SAMPLES / 2));
  } finally {
    for (const child of children) child.kill('SIGTERM');
    await Promise.all(children.map((child) => child.exitCode ?? child.signalCode ?? once(child, 'close')));
  }
});

async function soak(folder, children) {
  const key = { FORMULARY_SERVICE_KEY: KEY };
  const service = watched([TOOL, 'service', 'start', '--data', join(folder, 'x.db')], key, 'pipe');
  children.push(service);
  const address = String((await once(service.stdout, 'data'))[0]).trim();
  const remote = { FORMULARY_BASE_URL: address, FORMULARY_API_KEY: KEY };
  const commands = watched([join(import.meta.dirname, 'soak-commands.mjs')], remote, 'inherit');
  children.push(commands);
  const load = { isOver: false, requests: 0, address };
  const clients = Array.from({ length: CLIENTS }, (_, client) => runClient(load, client));
  const samples = { service: [], commands: [] };
  console.log('minute   service: rss MiB, heap MiB, handles, files   commands: the same');
  for (let i = 1; i <= SAMPLES; i++) {
    await delay((minutes * 60_000) / SAMPLES);
    for (const [name, child] of Object.entries({ service, commands })) samples[name].push(await sampleOf(child));
    const row = Object.values(samples).map((list) => rowOf(list.at(-1)));
    console.log(`${((minutes * i) / SAMPLES).toFixed(1).padStart(6)}   ${row.join('   ')}`);
  }
  load.isOver = true;
  await Promise.all(clients);
  console.log(`${load.requests} requests of ${CLIENTS} clients, beside those of the commands`);
  return samples;
}

function watched(words, env, stdout) {
  const before = ['--expose-gc', '--require', join(import.meta.dirname, 'soak-sample.cjs')];
  return spawn(process.execPath, [...before, ...words], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', stdout, 'inherit', 'ipc'],
  });
}

async function sampleOf(child) {
  if (child.exitCode !== null) throw new Error(`a process that is watched ended with ${child.exitCode}`);
  child.send('sample');
  return (await once(child, 'message'))[0];
}

function rowOf({ rss, heap, handles, files }) {
  const [memory, used] = [rss.toFixed(1).padStart(7), heap.toFixed(2).padStart(6)];
  return `${memory} ${used} ${String(handles).padStart(3)} ${String(files).padStart(3)}`;
}

/** Grows by the slope of the line that fits best, over the whole stretch. */
function judge(name, list) {
  for (const [what, limit] of Object.entries(MAY_GROW)) {
    const numbers = list.map((sample) => sample[what]);
    const mean = numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
    const middle = (numbers.length - 1) / 2;
    const up = numbers.reduce((sum, value, i) => sum + (i - middle) * (value - mean), 0);
    const growth = (up / numbers.reduce((sum, _, i) => sum + (i - middle) ** 2, 0)) * (numbers.length - 1);
    const grows = growth > (limit < 1 ? limit * mean : limit);
    console.log(
      `${name}: ${what} ${mean.toFixed(1)} on average, ${growth >= 0 ? '+' : ''}${growth.toFixed(2)} over the second half: ${grows ? 'GROWS' : 'flat'}`,
    );
    if (grows) process.exitCode = 1;
  }
}

/** Creates, reads, lists, changes and deletes, and does what clients should not, until the soak is over. */
async function runClient(load, client) {
  const headers = { 'svc-api-key': KEY, 'content-type': 'application/json' };
  const body = (name) =>
    JSON.stringify({ name, type: 'private', code: 'x'.repeat(3_000), configuration: [], request_parameters: [] });
  const ask = async (method, path, more = {}) => {
    load.requests += 1;
    const answer = await fetch(`${load.address}/reactor-formulas${path}`, { method, headers, ...more });
    const text = await answer.text();
    return answer.status < 300 && text ? JSON.parse(text) : undefined;
  };
  for (let round = 0; !load.isOver; round++) {
    const random = choices(client + 1, round);
    const { id } = await ask('POST', '', { body: body(`Client ${client} ${round}`) });
    await ask('GET', `/${id}`);
    await ask('GET', `?size=${1 + random.int(100)}&name=Client*`);
    await ask('PUT', `/${id}`, { body: body(`Client ${client} ${round} again`) });
    await ask('POST', '', { body: random.pick(['{', '[]', '{"name":1}', '']) });
    await ask('GET', '', { headers: { 'svc-api-key': 'wrong' } });
    await ask('GET', `/${id}x`);
    await cutOff(load.address, random);
    await ask('DELETE', `/${id}`);
    // A steady load, not the maximum.
    await delay(50);
  }
}

/** A request that ends in the middle, without a word. */
function cutOff(address, random) {
  const { port } = new URL(address);
  const text = `POST /reactor-formulas HTTP/1.1\r\nhost: x\r\nsvc-api-key: ${KEY}\r\ncontent-length: 500\r\n\r\n{"name":`;
  return new Promise((done) => {
    const socket = connect(Number(port), '127.0.0.1', () => {
      socket.write(text.slice(0, random.int(text.length)), () => socket.destroy());
    });
    socket.on('error', () => undefined);
    socket.once('close', done);
  });
}
