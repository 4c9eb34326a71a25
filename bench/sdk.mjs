/** Asks the embedded service through the client library of a public service with this interface, fetched for that. npm run check:net */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const LIBRARY = '@basis-theory/basis-theory-js@4.30.2';
const KEY = 'key_of_the_library';
const TOOL = fileURLToPath(new URL('../bin/formulary.js', import.meta.url));
const code = readFileSync(new URL('../formulas-example/tokenize-card/code.js', import.meta.url), 'utf8');
const place = mkdtempSync(join(tmpdir(), 'formulary-net-'));

/** The library, installed into a folder of its own from whatever registry npm is set to. */
function library() {
  writeFileSync(join(place, 'package.json'), '{"private": true}');
  const words = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-save', LIBRARY];
  execFileSync('npm', words, { cwd: place, stdio: ['ignore', 'ignore', 'inherit'] });
  return createRequire(join(place, 'package.json'))('@basis-theory/basis-theory-js').BasisTheory;
}

/** The service as a process, and its address by the one name that the library speaks plain http to. */
async function service() {
  const words = ['service', 'start', '--data', join(place, 'service.db'), '--api-key-header', 'BT-API-KEY'];
  const env = { ...process.env, FORMULARY_SERVICE_KEY: KEY };
  const child = spawn(process.execPath, [TOOL, ...words], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(child.stdout, 'data');
  return { child, url: String(line).trim().replace('127.0.0.1', 'localhost') };
}

async function step(title, check) {
  await check();
  console.log(`ok  ${title}`);
}

const body = (name) => ({
  name,
  description: 'Tokenizes a card',
  type: 'private',
  code,
  configuration: [{ name: 'BRANDS', description: 'allowed', type: 'string' }],
  requestParameters: [{ name: 'card.number', description: 'digits', type: 'string', optional: true }],
});

/** The refusal that a call ends in. */
async function refusal(call) {
  const error = await call.then(() => undefined).catch((thrown) => thrown);
  assert.ok(error, 'the call was not refused');
  return error;
}

async function formulas({ reactorFormulas }) {
  let made;
  await step('create gives the formula back, with what the service adds', async () => {
    made = await reactorFormulas.create(body('Tokenize a card'));
    assert.match(made.id, /^[0-9a-f-]{36}$/);
    assert.equal(made.code, code);
    assert.deepEqual(made.requestParameters, body('').requestParameters);
    assert.ok(made.createdAt && made.createdBy);
  });
  await step('retrieve gives the same, and that it was not modified', async () =>
    assert.deepEqual(await reactorFormulas.retrieve(made.id), { ...made, modifiedAt: null, modifiedBy: null }),
  );
  await step('update takes the retrieved formula whole, with keys that are not to be written', async () => {
    const changed = await reactorFormulas.update(made.id, { ...made, name: 'Tokenize a card & more' });
    assert.deepEqual(
      [changed.id, changed.name, changed.createdAt],
      [made.id, 'Tokenize a card & more', made.createdAt],
    );
    assert.ok(changed.modifiedAt >= made.createdAt);
  });
  await step('list gives pages that together are all', async () => {
    for (let i = 0; i < 5; i++) await reactorFormulas.create(body(`Page ${i}`));
    const pages = await Promise.all([1, 2, 3].map((page) => reactorFormulas.list({ page, size: 2 })));
    assert.deepEqual(pages[0].pagination, { totalItems: 6, pageNumber: 1, pageSize: 2, totalPages: 3 });
    assert.equal(new Set(pages.flatMap(({ data }) => data.map(({ id }) => id))).size, 6);
    assert.deepEqual((await reactorFormulas.list({ page: 4, size: 2 })).data, []);
    assert.equal((await reactorFormulas.list()).data.length, 6);
  });
  await step('list by name finds one with spaces and a sign in it', async () => {
    const { data } = await reactorFormulas.list({ name: 'a card & more' });
    assert.deepEqual(
      data.map(({ id }) => id),
      [made.id],
    );
  });
  await step('a wrong body is 400, and names the field', async () => {
    const error = await refusal(reactorFormulas.create({ ...body('x'), type: 'public' }));
    assert.deepEqual([error.status, Object.keys(error.data.errors)], [400, ['type']]);
  });
  await step('delete ends it; then it is 404', async () => {
    await reactorFormulas.delete(made.id);
    assert.equal((await refusal(reactorFormulas.retrieve(made.id))).status, 404);
    assert.equal((await refusal(reactorFormulas.delete(made.id))).status, 404);
  });
}

async function others(BasisTheory, { permissions }, apiBaseUrl) {
  await step('permissions are the 30 of the catalogue, and fewer for one type of application', async () => {
    const all = await permissions.list();
    assert.deepEqual(Object.keys(all[0]).sort(), ['applicationTypes', 'description', 'type']);
    assert.equal(all.length, 30);
    const some = await permissions.list({ applicationType: 'private' });
    assert.ok(some.length > 0 && some.length < 30);
  });
  await step('a wrong key is 401', async () => {
    const stranger = await new BasisTheory().init('key_of_a_stranger', { apiBaseUrl, disableTelemetry: true });
    assert.equal((await refusal(stranger.reactorFormulas.list())).status, 401);
  });
}

let child;
try {
  const BasisTheory = library();
  const { url, ...started } = await service();
  child = started.child;
  console.log(`${LIBRARY} asks ${url}`);
  const client = await new BasisTheory().init(KEY, { apiBaseUrl: url, disableTelemetry: true });
  await formulas(client);
  await others(BasisTheory, client, url);
} finally {
  if (child?.kill()) await once(child, 'close');
  rmSync(place, { recursive: true, force: true });
}
