/**
 * A service that does as little as can be, so that what is measured is the client. As a process of its own:
 * node bench/plain-service.mjs [--latency MILLISECONDS] [--rate REQUESTS_A_SECOND]
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';

/** Starts it; `ask` returns its counts, `empty` clears it, and `recount` counts from 0, and rejects writes of a name from then on. */
export async function startPlainService({ latency = 0, rate = 0 } = {}) {
  const words = [import.meta.filename, '--latency', String(latency), '--rate', String(rate)];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(child.stdout, 'data');
  const url = String(line).trim();
  return {
    url,
    ask: async () => (await fetch(`${url}/-/counts`)).json(),
    empty: async () => void (await fetch(`${url}/-/empty`)),
    recount: async (rejected = '') => void (await fetch(`${url}/-/recount?rejected=${encodeURIComponent(rejected)}`)),
    stop: () => child.kill(),
  };
}

function serve({ latency, rate }) {
  const formulas = new Map();
  const none = () => ({ passed: 0, refused: 0, written: 0, requests: {}, firstAt: 0, lastAt: 0 });
  let counts = none();
  let rejected;
  let bucket = { tokens: rate, at: 0 };

  /** A token bucket that holds one second's worth. */
  const isRefused = (now) => {
    if (rate === 0) return false;
    const tokens = Math.min(rate, bucket.tokens + ((now - bucket.at) / 1000) * rate);
    bucket = { tokens: tokens < 1 ? tokens : tokens - 1, at: now };
    return tokens < 1;
  };
  const answer = (response, status, value, headers = {}) => {
    const send = () =>
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
    if (latency > 0) setTimeout(send, latency);
    else send();
  };
  const page = (search) => {
    const [number, size] = [Number(search.get('page') ?? 1), Number(search.get('size') ?? 20)];
    const totals = { total_items: formulas.size, total_pages: Math.ceil(formulas.size / size) };
    const data = [...formulas.values()].slice((number - 1) * size, number * size);
    return { pagination: { ...totals, page_number: number, page_size: size }, data };
  };
  const write = (response, id, sent) => {
    if (sent.name === rejected) {
      const errors = { name: ['The name is not allowed.'] };
      return answer(response, 400, { title: 'One or more validation errors occurred.', status: 400, errors });
    }
    counts.written++;
    const made = { ...sent, id: id ?? randomUUID(), created_at: '2026-01-01T00:00:00Z' };
    formulas.set(made.id, made);
    answer(response, id ? 200 : 201, made);
  };
  /** What the benchmark asks for, not the client. */
  const control = (pathname, search) => {
    if (pathname === '/-/counts') return JSON.stringify({ ...counts, formulas: formulas.size });
    if (pathname === '/-/empty') formulas.clear();
    counts = none();
    rejected = search.get('rejected');
  };

  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url, 'http://service');
    if (pathname.startsWith('/-/')) return response.end(control(pathname, searchParams));
    const body = Buffer.concat(await request.toArray()).toString('utf8');
    const now = performance.now();
    counts.firstAt ||= now;
    counts.lastAt = now;
    if (isRefused(now)) {
      counts.refused++;
      return answer(response, 429, { title: 'Too many requests', status: 429 }, { 'retry-after': '1' });
    }
    counts.passed++;
    const id = pathname.split('/')[2];
    const kind = id ? `${request.method} of one` : request.method;
    counts.requests[kind] = (counts.requests[kind] ?? 0) + 1;
    if (id && !formulas.has(id)) return answer(response, 404, { title: 'Not found', status: 404 });
    if (request.method === 'GET') return answer(response, 200, id ? formulas.get(id) : page(searchParams));
    write(response, id, JSON.parse(body));
  });
  server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
}

if (process.argv[1] === import.meta.filename) {
  const options = { latency: { type: 'string', default: '0' }, rate: { type: 'string', default: '0' } };
  const { values } = parseArgs({ options });
  serve({ latency: Number(values.latency), rate: Number(values.rate) });
}
