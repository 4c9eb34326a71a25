/**
 * Overload: open connections, slow clients, and endless bodies in both directions; prints status codes, times, and memory.
 *   npm run build && node bench/overload.mjs [--connections N (1000)] [--megabytes N (200)] [--answers N (300)]
 * Exits with 1 if the service stops responding, or a result is unexpected.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { TOOL, withFolder, world } from './processes.mjs';

const KEY = 'key-of-the-benchmark';
const { values } = parseArgs({
  options: {
    connections: { type: 'string', default: '1000' },
    megabytes: { type: 'string', default: '200' },
    // Responses are accepted up to 256 MiB, so that a page of large formulas is.
    answers: { type: 'string', default: '300' },
  },
});
const [connections, megabytes, answers] = [values.connections, values.megabytes, values.answers].map(Number);
const MEGABYTE = Buffer.alloc(1024 * 1024, 'a');

const memory = ({ pid }, field = 'VmRSS') => {
  const [, kib] = new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kib) / 1024);
};

/** Prints a result; a wrong one fails the run. */
function say(isRight, text) {
  console.log(`${isRight ? 'ok  ' : 'FAIL'}  ${text}`);
  if (!isRight) process.exitCode = 1;
}

/** How long a usual request takes, in milliseconds, and its status. */
async function ask(address) {
  const began = performance.now();
  const answer = await fetch(`${address}/reactor-formulas`, {
    headers: { 'svc-api-key': KEY },
    signal: AbortSignal.timeout(10_000),
  }).catch((error) => ({ status: error.name, text: () => '' }));
  await answer.text();
  return { status: answer.status, ms: Math.round(performance.now() - began) };
}

async function manyConnections(service, address) {
  const { hostname, port } = new URL(address);
  const before = memory(service);
  let closed = 0;
  const sockets = Array.from({ length: connections }, (_, i) => {
    const socket = connect(Number(port), hostname);
    socket
      .on('error', () => undefined)
      .on('close', () => closed++)
      .resume();
    // A third sends nothing, a third starts a request, a third sends a stalled body.
    if (i % 3 === 1) socket.write('GET /reactor-formulas HTTP/1.1\r\nhost: x');
    const start = 'POST /reactor-formulas HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n';
    if (i % 3 === 2) socket.write(`${start}svc-api-key: ${KEY}\r\ncontent-length: 100\r\n\r\n{`);
    return socket;
  });
  await delay(1000);
  const { status, ms } = await ask(address);
  say(status === 200, `${connections} connections open: a request is answered with ${status} after ${ms} ms`);
  say(memory(service) - before < 200, `memory ${before} MiB before, ${memory(service)} MiB with them`);
  const slow = setInterval(() => {
    for (const [i, socket] of sockets.entries()) if (i % 3 !== 0) socket.write('x');
  }, 2000);
  const began = performance.now();
  while (closed < connections && performance.now() - began < 75_000) await delay(250);
  clearInterval(slow);
  const seconds = Math.round((performance.now() - began) / 1000);
  say(closed === connections, `${closed} of them, though they sent a byte every 2 s, were closed within ${seconds} s`);
  for (const socket of sockets) socket.destroy();
  const after = await ask(address);
  say(after.status === 200, `then a request is answered with ${after.status} after ${after.ms} ms`);
}

/** Sends a body of this many megabytes; returns the status, or the reason of the end. */
function sendLarge(address, { hasLength }) {
  const sending = request(`${address}/reactor-formulas`, {
    method: 'POST',
    headers: {
      'svc-api-key': KEY,
      'content-type': 'application/json',
      ...(hasLength && { 'content-length': megabytes * MEGABYTE.length }),
    },
  });
  return new Promise((done) => {
    let sent = 0;
    const more = () => {
      while (sent < megabytes && !sending.destroyed) {
        sent += 1;
        if (!sending.write(MEGABYTE)) return void sending.once('drain', more);
      }
      sending.end();
    };
    sending.on('response', (answer) => done(answer.resume().statusCode)).on('error', (error) => done(error.code));
    more();
  });
}

async function largeToService(service, address) {
  for (const hasLength of [true, false]) {
    const before = memory(service, 'VmHWM');
    const status = await sendLarge(address, { hasLength });
    const grown = memory(service, 'VmHWM') - before;
    const how = hasLength ? 'its length said' : 'in chunks';
    say(
      status === 413 && grown < 150,
      `${megabytes} MB to the service, ${how}: ${status}, its memory grew by ${grown} MiB`,
    );
  }
  say((await ask(address)).status === 200, 'then a request is answered');
}

/** Runs the tool against a service whose responses have this many megabytes. */
async function largeFromService(title, head, headers) {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', ...headers });
    response.write(head);
    let sent = 0;
    const more = () => {
      while (sent < answers && !response.destroyed) {
        sent += 1;
        if (!response.write(MEGABYTE)) return void response.once('drain', more);
      }
      response.end();
    };
    more();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const FORMULARY_BASE_URL = `http://127.0.0.1:${server.address().port}`;
  await withFolder(async (home) => {
    const env = world(home, { FORMULARY_BASE_URL, FORMULARY_API_KEY: KEY });
    const child = spawn(process.execPath, [TOOL, 'formula', 'list', '--retry-timeout', '60'], { env });
    let [said, peak] = ['', 0];
    child.stderr.on('data', (text) => {
      said += text;
    });
    const watch = setInterval(() => {
      try {
        peak = Math.max(peak, memory(child, 'VmHWM') || 0);
      } catch {
        // It is over.
      }
    }, 20);
    const [code] = await once(child, 'close');
    clearInterval(watch);
    say(
      code === 8 && peak < 450,
      `${answers} MB from the service, ${title}: ends with ${code}, ${peak} MiB; ${said.split('\n')[0].slice(0, 160)}`,
    );
  });
  server.closeAllConnections();
  server.close();
}

await withFolder(async (folder) => {
  const service = spawn(process.execPath, [TOOL, 'service', 'start', '--data', join(folder, 'x.db')], {
    env: { FORMULARY_SERVICE_KEY: KEY },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const address = String((await once(service.stdout, 'data'))[0]).trim();
    await ask(address);
    await largeToService(service, address);
    await manyConnections(service, address);
    service.kill('SIGTERM');
    say((await once(service, 'close'))[0] === 0, 'SIGTERM ends the service with 0');
  } finally {
    service.kill('SIGKILL');
  }
});
await largeFromService('no JSON', '', {});
await largeFromService('a text that does not end', '{"data":[{"id":"', {});
await largeFromService('with a length that is said', '', { 'content-length': String(answers * MEGABYTE.length) });
