/**
 * A service that does as little as can be, so that what is measured is the client. As a process of its own:
 * node bench/plain-service.mjs [--latency MILLISECONDS] [--rate REQUESTS_A_SECOND]
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';

/** Starts it; `ask` returns its counts, and `empty` clears it. */
export async function startPlainService({ latency = 0, rate = 0 } = {}) {
  const words = [import.meta.filename, '--latency', String(latency), '--rate', String(rate)];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(child.stdout, 'data');
  const url = String(line).trim();
  return {
    url,
    ask: async () => (await fetch(`${url}/-/counts`)).json(),
    empty: async () => void (await fetch(`${url}/-/empty`)),
    stop: () => child.kill(),
  };
}

function serve({ latency, rate }) {
  let formulas = [];
  let counts = { passed: 0, refused: 0, firstAt: 0, lastAt: 0 };
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
    const totals = { total_items: formulas.length, total_pages: Math.ceil(formulas.length / size) };
    const data = formulas.slice((number - 1) * size, number * size);
    return { pagination: { ...totals, page_number: number, page_size: size }, data };
  };

  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url, 'http://service');
    if (pathname === '/-/counts') return response.end(JSON.stringify({ ...counts, formulas: formulas.length }));
    if (pathname === '/-/empty') {
      formulas = [];
      counts = { passed: 0, refused: 0, firstAt: 0, lastAt: 0 };
      return response.end();
    }
    const body = Buffer.concat(await request.toArray()).toString('utf8');
    const now = performance.now();
    counts.firstAt ||= now;
    counts.lastAt = now;
    if (isRefused(now)) {
      counts.refused++;
      return answer(response, 429, { title: 'Too many requests', status: 429 }, { 'retry-after': '1' });
    }
    counts.passed++;
    if (request.method === 'GET') return answer(response, 200, page(searchParams));
    const made = { id: randomUUID(), ...JSON.parse(body), created_at: '2026-01-01T00:00:00Z' };
    formulas.push(made);
    answer(response, 201, made);
  });
  server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
}

if (process.argv[1] === import.meta.filename) {
  const options = { latency: { type: 'string', default: '0' }, rate: { type: 'string', default: '0' } };
  const { values } = parseArgs({ options });
  serve({ latency: Number(values.latency), rate: Number(values.rate) });
}
