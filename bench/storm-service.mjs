// A service for the storms that fails on purpose, at random by a seed, and knows what it has really done.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { mulberry32 } from './random.mjs';

/** What can happen to a request; `commit`: what was asked is done before it fails. */
const FAULTS = {
  'commit-then-reset': { commit: true, end: (response) => response.socket.resetAndDestroy() },
  'commit-then-500': { commit: true, end: (response) => send(response, 500, { title: 'Broken after the work' }) },
  'commit-then-half': {
    commit: true,
    end: (response) => {
      response.writeHead(201, { 'content-type': 'application/json', 'content-length': '500' });
      response.write('{"id":', () => response.destroy());
    },
  },
  'commit-then-page': {
    commit: true,
    end: (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
  },
  'reset-before-response': { commit: false, end: (response) => response.socket.resetAndDestroy() },
  'flaky-5xx': { commit: false, end: (response) => send(response, 503, { title: 'Try later' }) },
  'rate-limit': {
    commit: false,
    end: (response) => send(response, 429, { title: 'Too many' }, { 'retry-after': '1' }),
  },
  garbage: { commit: false, end: (response) => response.socket.end('SSH-2.0-x\r\n') },
};

export const MODES = ['mixed', ...Object.keys(FAULTS)];

/**
 * Starts the service. `share`: the percentage of requests that fail as the mode defines. `observe.onRequest` gets the key
 * of each request, and returns whether the connection breaks before ('drop') or after the work ('commit');
 * `observe.onWrite` gets each write with the replaced version.
 */
export async function startService({ mode, seed, share, observe = {} }) {
  const random = mulberry32(seed);
  const formulas = [];
  const faults = {};
  const chance = { share };
  const pick = () => {
    if (random() * 100 >= chance.share) return undefined;
    const names = mode === 'mixed' ? Object.keys(FAULTS) : [mode];
    const name = names[Math.floor(random() * names.length)];
    faults[name] = (faults[name] ?? 0) + 1;
    return FAULTS[name];
  };
  const server = createServer(async (request, response) => {
    const key = request.headers['svc-api-key'];
    const end = observe.onRequest?.(key, request.method);
    const body = await readBody(request);
    if (body === undefined) return;
    const fault = end ? { commit: end === 'commit', end: () => request.socket.destroy() } : pick();
    const respond = () => answerTo(formulas, request, body, (write) => observe.onWrite?.({ key, ...write }));
    if (!fault) return send(response, ...respond());
    if (fault.commit) respond();
    fault.end(response);
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    formulas,
    faults,
    chance,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Undefined where the sender is gone. */
async function readBody(request) {
  try {
    return Buffer.concat(await request.toArray()).toString('utf8');
  } catch {
    return undefined;
  }
}

function answerTo(formulas, { method, url }, body, onWrite) {
  const { pathname, searchParams } = new URL(url, 'http://service');
  const [, collection, id] = pathname.split('/');
  if (collection !== 'reactor-formulas') return [404, { title: 'Not Found' }];
  if (id !== undefined) return answerToOne(formulas, method, id, body, onWrite);
  if (method === 'POST') {
    const formula = { id: randomUUID(), ...JSON.parse(body) };
    onWrite({ method, after: formula });
    formulas.push(formula);
    return [201, formula];
  }
  const [page, size] = [Number(searchParams.get('page') ?? 1), Math.min(100, Number(searchParams.get('size') ?? 20))];
  const data = formulas.slice((page - 1) * size, page * size);
  const totals = { total_items: formulas.length, total_pages: Math.ceil(formulas.length / size) };
  return [200, { pagination: { ...totals, page_number: page, page_size: size }, data }];
}

function answerToOne(formulas, method, id, body, onWrite) {
  const index = formulas.findIndex((formula) => formula.id === id);
  if (index < 0) return [404, { title: 'Not Found' }];
  if (method === 'DELETE') {
    const [before] = formulas.splice(index, 1);
    onWrite({ method, before, after: before });
    return [204];
  }
  if (method === 'PUT') {
    const after = { ...JSON.parse(body), id };
    onWrite({ method, before: formulas[index], after });
    formulas[index] = after;
  }
  return [200, formulas[index]];
}

function send(response, status, value, headers = {}) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
}
