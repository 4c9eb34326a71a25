/** diff and push: a tree of folders and a service are brought into line. */
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { main } from '../../src/main.ts';
import type { Formula } from '../../src/model.ts';
import { CARD_CODE, CARD_MANIFEST, cardFiles, folderWith, formulaTree, inFolder, PIXEL } from '../helpers/folders.ts';
import { json, loopback } from '../helpers/loopback.ts';
import { machine as createMachine, type Machine } from '../helpers/machine.ts';
import { exitsWith, expectExit, type RunResult, run, testHost } from '../helpers/test-host.ts';

/** A computer with its own state, and an embedded service with a target name. */
const machine = (more: Record<string, string> = {}) =>
  createMachine({ more: { FORMULARY_TARGET: 'staging', ...more } });

function edit(root: string, name: string, change: Record<string, unknown>): void {
  const file = join(root, name, 'manifest.json');
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), ...change }));
}

const push = (formulary: Machine, root: string, ...flags: string[]) => formulary(['push', root, '--json', ...flags]);
const diff = (formulary: Machine, root: string, ...flags: string[]) => formulary(['diff', root, '--json', ...flags]);
const outcomes = ({ out }: RunResult) =>
  Object.fromEntries(
    JSON.parse(out).items.map(({ name, outcome, action }: Record<string, string>) => [name, outcome ?? action]),
  );
/** The exit code, and the outcomes by name. */
const ending = (ended: RunResult) => [ended.code, outcomes(ended)];
const listed = async (formulary: Machine): Promise<Formula[]> => JSON.parse((await formulary(['list', '--json'])).out);
const lockOf = (root: string) => JSON.parse(readFileSync(join(root, 'formulas.lock.json'), 'utf8')).targets;

describe('push', () => {
  it('sends the bundle of code.ts, and then has nothing to do', async () => {
    const formulary = machine();
    const { 'code.js': _, ...files } = cardFiles({}, { 'code.ts': 'export default async () => ({ raw: {} });' });
    const root = folderWith(inFolder('card', files));
    expect(outcomes(await push(formulary, root))).toEqual({ 'Tokenize a card': 'created' });
    expect((await listed(formulary))[0]?.code).toContain('module.exports = ');
    expect(outcomes(await push(formulary, root))).toEqual({ 'Tokenize a card': 'unchanged' });
    writeFileSync(join(root, 'card/code.ts'), "import './gone';\nexport default async () => ({ raw: {} });");
    expect(await push(formulary, root)).toMatchObject({ code: 3, out: expect.stringContaining('code-bundle') });
  });

  it('caches clean folders of a large tree, except in a dry run, and checks changed ones', async () => {
    const formulary = machine();
    const root = formulaTree(...Array.from({ length: 20 }, (_, i) => `formula ${i}`));
    writeFileSync(join(root, 'formula 7/code.js'), 'module.exports = () => ({ raw: {} });');
    const remembered = join(String(formulary.env['XDG_STATE_HOME']), 'formulary/checked.json');
    await push(formulary, root, '--dry-run');
    expect(existsSync(remembered)).toBe(false);
    const warned = { code: 0, err: expect.stringContaining('code-sync') };
    expect(await formulary(['push', root])).toMatchObject(warned);
    // What has a warning is told of it each time.
    expect(JSON.parse(readFileSync(remembered, 'utf8')).hashes).toHaveLength(19);
    expect(await formulary(['push', root])).toMatchObject(warned);
    expect(JSON.parse((await push(formulary, root)).out).summary).toMatchObject({ total: 20, unchanged: 20 });
    writeFileSync(join(root, 'formula 3/code.js'), 'module.exports = {');
    expect(await push(formulary, root)).toMatchObject({ code: 3, out: expect.stringContaining('code-syntax') });
  });

  it('creates, then has nothing to do, then updates edited folders', async () => {
    const formulary = machine();
    const root = formulaTree('a', 'b', 'c');
    const first = await push(formulary, root);
    expect(first.code).toBe(0);
    expect(JSON.parse(first.out)).toMatchObject({
      schema_version: 1,
      items: [{ folder: join(root, 'a'), name: 'a', outcome: 'created', id: expect.any(String) }, {}, {}],
      summary: { total: 3, created: 3, updated: 0, failed: 0 },
    });
    expect((await diff(formulary, root)).code).toBe(0);
    expect(ending(await push(formulary, root))).toEqual([0, { a: 'unchanged', b: 'unchanged', c: 'unchanged' }]);
    edit(root, 'b', { description: 'edited' });
    const third = await push(formulary, root);
    expect(JSON.parse(third.out).items[1]).toMatchObject({ name: 'b', outcome: 'updated', changed: ['description'] });
    expect((await listed(formulary)).map(({ name, description }) => [name, description]).sort()).toEqual([
      ['a', CARD_MANIFEST.description],
      ['b', 'edited'],
      ['c', CARD_MANIFEST.description],
    ]);
  });

  it('writes ids to the lock file, so that a rename and a moved folder keep the formula', async () => {
    const formulary = machine();
    const root = formulaTree('a', 'b');
    await push(formulary, root);
    const { a: before, b } = lockOf(root).staging;
    edit(root, 'a', { name: 'Anew' });
    renameSync(join(root, 'b'), join(root, 'moved'));
    const { out, code } = await push(formulary, root);
    expect(code).toBe(0);
    expect(JSON.parse(out).items).toMatchObject([
      { name: 'Anew', outcome: 'updated', renamed_from: 'a', id: before.id },
      { name: 'b', outcome: 'unchanged', moved_from: expect.stringContaining('b'), id: b.id },
    ]);
    expect(lockOf(root).staging).toEqual({ a: before, moved: b });
    expect(await listed(formulary)).toHaveLength(2);
  });

  it('matches existing formulas by name without a lock file, and reports what it overwrites', async () => {
    const formulary = machine();
    await push(formulary, formulaTree('a'), '--no-lock');
    const root = formulaTree('a');
    edit(root, 'a', { description: 'edited' });
    const fresh = machine({ FORMULARY_LOCAL_DATA: formulary.env['FORMULARY_LOCAL_DATA'] ?? '' });
    expect(JSON.parse((await push(fresh, root, '--dry-run')).out).items).toMatchObject([
      {
        action: 'update',
        adopted: true,
        overwrites: true,
        changes: [{ field: 'description', local: 'edited', remote: CARD_MANIFEST.description }],
      },
    ]);
    expect(existsSync(join(root, 'formulas.lock.json'))).toBe(false);
    expect((await push(fresh, root)).code).toBe(0);
    expect(lockOf(root).staging).toHaveProperty('a');
  });

  it('skips formulas that others changed, unless forced', async () => {
    const formulary = machine();
    const root = formulaTree('a', 'b');
    await push(formulary, root);
    const other = machine({ FORMULARY_LOCAL_DATA: formulary.env['FORMULARY_LOCAL_DATA'] ?? '' });
    await other(['update', 'a', folderWith(cardFiles({ name: 'a', description: 'theirs' }))]);
    edit(root, 'a', { description: 'mine' });
    edit(root, 'b', { description: 'mine' });
    const stopped = await push(formulary, root);
    expect(ending(stopped)).toEqual([7, { a: 'conflict', b: 'updated' }]);
    expect(stopped.err).toContain('the remote version changed since the last push or pull of this folder');
    expect(await formulary(['push', root])).toMatchObject({ code: 6, err: expect.not.stringContaining('next:') });
    expect((await diff(formulary, root)).code).toBe(10);
    expect(outcomes(await push(formulary, root, '--force'))).toEqual({ a: 'updated', b: 'unchanged' });
  });

  it('preserves an icon and a description that the folder does not set, and saves the replaced version', async () => {
    const formulary = machine();
    const root = folderWith(inFolder('a', cardFiles({}, { 'icon.png': PIXEL })));
    await push(formulary, root);
    rmSync(join(root, 'a/icon.png'));
    edit(root, 'a', { description: undefined });
    writeFileSync(join(root, 'a/code.js'), `${CARD_CODE}// edited\n`);
    const { out } = await push(formulary, root);
    expect(JSON.parse(out).items).toMatchObject([{ outcome: 'updated', changed: ['code'] }]);
    const [formula] = await listed(formulary);
    expect(formula).toMatchObject({
      description: CARD_MANIFEST.description,
      icon: expect.stringMatching(/^data:image\/png/),
    });
    const copies = JSON.parse((await formulary(['history', '--json'])).out);
    expect(copies).toMatchObject([{ operation: 'update', target: expect.stringMatching(/^local:/), id: formula?.id }]);
  });

  it('checks all folders before it sends anything', async () => {
    const formulary = machine();
    const root = formulaTree('a', 'b', 'c');
    edit(root, 'b', { type: 'public' });
    const { code, out, err } = await formulary(['push', root, '--json', '--verbose']);
    expect(code).toBe(3);
    expect(JSON.parse(out)).toMatchObject({
      items: [
        { outcome: 'not_started' },
        { outcome: 'invalid', findings: [{ rule: 'type-value' }] },
        { outcome: 'not_started' },
      ],
      summary: { total: 3, invalid: 1, not_started: 2 },
    });
    expect(err).toContain('type-value');
    expect((await formulary(['push', root])).out).toMatch(/^invalid\t.*\nnot_started\t2 folders\t\t\n$/);
    expect(await listed(formulary)).toEqual([]);
  });

  it('leaves out invalid folders and both of a doubled name with --skip-invalid, also in a plan', async () => {
    const formulary = machine();
    const root = formulaTree('a', 'b', 'c', 'd');
    edit(root, 'b', { type: 'public' });
    edit(root, 'd', { name: 'c' });
    const words = /has the same name as[\s\S]*add --skip-invalid, or --exclude \S+b --exclude \S+c --exclude \S+d\./;
    expectExit(await formulary(['push', root]), 3, words);
    const plan = join(root, 'plan.json');
    const shown = await diff(formulary, root, '--skip-invalid', '--out', plan, '--verbose');
    expectExit(shown, 10, /left out, because invalid: .*b, .*c, .*d\n/);
    expect(JSON.parse(readFileSync(plan, 'utf8')).steps).toMatchObject([{ name: 'a' }]);
    expect(await push(formulary, root, '--skip-invalid', '--prune', '--yes')).toMatchObject({ code: 3 });
    expect(await listed(formulary)).toEqual([]);
    const pushed = await push(formulary, root, '--skip-invalid');
    expect(pushed.code).toBe(7);
    expect(JSON.parse(pushed.out).summary).toMatchObject({ created: 1, invalid: 3 });
    const again = await formulary(['push', root, '--skip-invalid']);
    expectExit(again, 3, /left out, because invalid: .*b, .*c, .*d\n$/);
    expect(await diff(formulary, root, '--skip-invalid')).toMatchObject({ code: 0 });
    expect(await formulary(['push', '--plan', plan])).toMatchObject({ code: 0 });
  });

  it('reports the errors of an invalid formula that the service has as warnings', async () => {
    const text = 'not javascript (';
    const formula = { ...CARD_MANIFEST, id: randomUUID(), name: 'b', code: text };
    const { env } = await loopback((_, response) =>
      json(response, 200, { data: [formula], pagination: { total_pages: 1 } }),
    );
    const root = formulaTree('b');
    writeFileSync(join(root, 'b/code.js'), text);
    const formulary = machine({ ...env, FORMULARY_PROFILE: '' });
    const same = await push(formulary, root, '--no-lock', '--verbose');
    expectExit(same, 0, 'warning code-syntax');
    writeFileSync(join(root, 'b/code.js'), 'also not (');
    expect(await push(formulary, root, '--no-lock')).toMatchObject({ code: 3 });
    expect(await push(formulary, root, '--skip-invalid', '--no-lock')).toMatchObject({ code: 3 });
  });

  it('rejects two folders of one id in the lock file', async () => {
    const formulary = machine();
    const root = formulaTree('a', 'b');
    await push(formulary, root);
    const { a } = lockOf(root).staging;
    const lock = { version: 1, targets: { staging: { a, b: a } } };
    writeFileSync(join(root, 'formulas.lock.json'), JSON.stringify(lock));
    expectExit(await push(formulary, root), 3, 'has the same id in the lock as');
    expect((await diff(formulary, root)).code).toBe(3);
  });

  it('reports if the lock file seems to be of another tenant', async () => {
    const formulary = machine();
    const root = formulaTree('a', 'b');
    await push(formulary, root);
    const elsewhere = machine({ XDG_STATE_HOME: formulary.env['XDG_STATE_HOME'] ?? '' });
    expect(await push(elsewhere, root)).toMatchObject(
      exitsWith(
        6,
        `in the lock file (${join(root, 'formulas.lock.json')}) exist on this service. Is this the right tenant?`,
      ),
    );
    const created = exitsWith(0, 'no longer exists; created a new one');
    expect(await elsewhere(['push', root, '--force'])).toMatchObject(created);
  });

  it('deletes only formulas in the lock file, only with --prune, after a prompt or --yes, and not too many', async () => {
    const formulary = machine();
    const root = formulaTree('a', 'b', 'c');
    await push(formulary, root);
    await formulary(['create', folderWith(cardFiles({ name: 'foreign' }))]);
    rmSync(join(root, 'b'), { recursive: true });
    rmSync(join(root, 'c'), { recursive: true });
    expect(outcomes(await push(formulary, root))).toEqual({ a: 'unchanged' });
    expect((await push(formulary, root, '--prune')).code).toBe(2);
    const many = await push(formulary, root, '--prune', '--yes', '--max-deletes', '1');
    expectExit(many, 2, 'would delete 2 formulas');
    expect(many.err).toContain(`To see them, run: formulary formula diff ${root} --prune`);
    expect((await formulary(['push', root, '--prune'], { answers: ['no'] })).code).toBe(2);
    expect(await listed(formulary)).toHaveLength(4);
    expect(outcomes(await diff(formulary, root, '--prune'))).toEqual({ a: 'keep', b: 'delete', c: 'delete' });
    const pruned = await push(formulary, root, '--prune', '--yes');
    expect(ending(pruned)).toEqual([0, { a: 'unchanged', b: 'deleted', c: 'deleted' }]);
    expect((await listed(formulary)).map(({ name }) => name).sort()).toEqual(['a', 'foreign']);
    expect(Object.keys(lockOf(root).staging)).toEqual(['a']);
  });

  it('prompts for the deletions of --prune without keeping other commands waiting, and deletes what was confirmed', async () => {
    const formulary = machine();
    const root = formulaTree('a', 'b', 'c');
    await push(formulary, root);
    for (const name of ['b', 'c']) rmSync(join(root, name), { recursive: true });
    const during = async (...words: string[]) => {
      const signal = AbortSignal.timeout(5000);
      expect(await formulary(words, { stopping: signal })).toMatchObject({ code: 0 });
      return 'y';
    };
    const command = ['push', root, '--prune', '-o', 'jsonl'];
    const create = () => during('create', folderWith(cardFiles({ name: 'other' })));
    const remove = () => during('delete', 'c', '--yes');
    expect(await formulary(command, { answers: [remove] })).toMatchObject(
      exitsWith(
        6,
        /error: the formulas to delete changed in the meantime; nothing was changed\nhint: Run the command again\.\n$/,
        '',
      ),
    );
    expect((await listed(formulary)).map(({ name }) => name).sort()).toEqual(['a', 'b']);
    expect(await formulary(command, { answers: [create] })).toMatchObject({ code: 0 });
    expect((await listed(formulary)).map(({ name }) => name).sort()).toEqual(['a', 'other']);
  });

  it('does not prompt for deletions if the versions cannot be saved', async () => {
    const formulary = machine();
    const root = formulaTree('a', 'b');
    await push(formulary, root);
    rmSync(join(root, 'b'), { recursive: true });
    const broken = machine({ ...formulary.env, XDG_STATE_HOME: '/dev/null' });
    const refused = await broken(['push', root, '--prune'], { answers: ['y'] });
    expectExit(refused, 2, '--no-history');
    expect(refused.err).not.toContain('[y/N]');
    expect(await listed(formulary)).toHaveLength(2);
  });

  it('rejects --prune if a folder in the lock file exists without a manifest, unless its formula has a new folder', async () => {
    const formulary = machine();
    const root = formulaTree('a', 'b');
    await push(formulary, root);
    renameSync(join(root, 'b/manifest.json'), join(root, 'b/kept.json'));
    expectExit(await push(formulary, root, '--prune', '--yes'), 3, '/folder/b exists but has no');
    rmSync(join(root, 'b/code.js'));
    expect((await push(formulary, root, '--prune', '--yes')).code).toBe(3);
    expect(await listed(formulary)).toHaveLength(2);
    const moved = formulaTree('b');
    renameSync(join(moved, 'b'), join(root, 'moved'));
    expect(outcomes(await push(formulary, root, '--prune', '--yes'))).toEqual({ a: 'unchanged', b: 'unchanged' });
    expect(await listed(formulary)).toHaveLength(2);
  });

  it('writes no lock file for a local service without a name, and none with --no-lock', async () => {
    const { FORMULARY_TARGET: _, ...env } = machine().env;
    const root = formulaTree('a');
    const unnamed = (words: readonly string[]) => run(words, { env });
    await unnamed(['formula', 'push', root]);
    expect(readdirSync(root)).toEqual(['a']);
    // Its identity is known all the same.
    edit(root, 'a', { name: 'Anew' });
    expect(JSON.parse((await unnamed(['formula', 'push', root, '--json'])).out).items).toMatchObject([
      { outcome: 'updated', renamed_from: 'a' },
    ]);
    const other = formulaTree('b');
    await push(machine(), other, '--no-lock');
    expect(readdirSync(other)).toEqual(['b']);
  });

  it('prints rows in a pipe, and changes on a terminal', async () => {
    const formulary = machine();
    const root = formulaTree('a', 'b');
    await push(formulary, join(root, 'a'));
    const piped = await formulary(['push', root]);
    expect(piped.out.split('\n').map((line) => line.split('\t').filter((_, i) => i !== 2))).toEqual([
      ['unchanged', join(root, 'a'), 'a'],
      ['created', join(root, 'b'), 'b'],
      [''],
    ]);
    expect(piped.err).toMatch(/^Service: (.*)\n1 created, 1 unchanged on \1\n$/);
    edit(root, 'b', { description: 'edited' });
    const shown = await formulary(['push', root], { columns: 200 });
    expect(shown.out.trim().split('\n')).toHaveLength(2);
    expect(shown.out).toContain('updated');
    expect(shown.err).toMatch(/push: 2 of 2.*1 updated, 1 unchanged on .*\n$/s);
    expect((await formulary(['push', root])).err).toContain('nothing to do: 2 up to date on ');
  });
});

describe('push against a service that fails', () => {
  /** A service with the created formulas; `refuse` selects the responses that are not sent. */
  async function service(refuse: (request: { method: string; body: string }) => number | undefined) {
    const formulas: Formula[] = [];
    const { env, requests } = await loopback((request, response) => {
      const status = refuse(request);
      if (status !== undefined) return json(response, status, {});
      if (request.method === 'GET') return json(response, 200, { data: formulas, pagination: { total_pages: 1 } });
      const formula = { ...JSON.parse(request.body), id: `0b6e0f8e-8f0c-4f5e-9a52-3b1f7e6f2d1${formulas.length}` };
      formulas.push(formula);
      json(response, 201, formula);
    });
    return { formulary: machine({ ...env, FORMULARY_PROFILE: '' }), requests, formulas };
  }

  it('continues after a failure, reports it, and completes on the next run', async () => {
    let isBroken = true;
    const { formulary, formulas } = await service(({ method, body }) =>
      isBroken && method === 'POST' && body.includes('"b"') ? 422 : undefined,
    );
    const root = formulaTree('a', 'b', 'c');
    const first = await push(formulary, root);
    expect(ending(first)).toEqual([7, { a: 'created', b: 'failed', c: 'created' }]);
    expect(JSON.parse(first.out).items[1].error).toMatchObject({ code: 'failed', status: 422 });
    isBroken = false;
    expect(ending(await push(formulary, root))).toEqual([0, { a: 'unchanged', b: 'created', c: 'unchanged' }]);
    expect(formulas).toHaveLength(3);
  });

  it('sends the checked content, even if the folders change while it runs', async () => {
    const root = formulaTree('changed', 'broken', 'gone');
    const { formulary, formulas } = await service(({ method }) => {
      if (method === 'GET') {
        edit(root, 'changed', { description: 'of another' });
        writeFileSync(join(root, 'broken/code.js'), 'module.exports = {');
        rmSync(join(root, 'gone'), { recursive: true, force: true });
      }
      return undefined;
    });
    const checked = JSON.parse(readFileSync(join(root, 'changed/manifest.json'), 'utf8'));
    expect(ending(await push(formulary, root))).toEqual([
      0,
      { changed: 'created', broken: 'created', gone: 'created' },
    ]);
    expect(formulas).toHaveLength(3);
    expect(formulas.find(({ name }) => name === 'changed')?.description).toBe(checked.description);
  });

  it('does not use an id twice as proof that a formula was created', async () => {
    const { env } = await loopback(({ method, body }, response) =>
      method === 'POST'
        ? json(response, 201, { ...JSON.parse(body), id: '00000000-0000-4000-8000-000000000001' })
        : json(response, 200, { pagination: {}, data: [] }),
    );
    const formulary = machine({ ...env, FORMULARY_PROFILE: '' });
    const ended = await push(formulary, formulaTree('a', 'b'), '--concurrency', '1');
    expect(ending(ended)).toEqual([7, { a: 'created', b: 'unknown' }]);
  });

  it('starts nothing after a failure with --fail-fast', async () => {
    const { formulary, requests } = await service(({ method }) => (method === 'POST' ? 403 : undefined));
    const { code, out } = await push(formulary, formulaTree('a', 'b', 'c'), '--fail-fast', '--concurrency', '1');
    expect(code).toBe(4);
    expect(JSON.parse(out).summary).toMatchObject({ failed: 1, not_started: 2 });
    expect(requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  it('processes at most --concurrency formulas in parallel', async () => {
    let [open, most] = [0, 0];
    const waiting: (() => void)[] = [];
    const { env } = await loopback(({ method, body }, response) => {
      if (method === 'GET') return json(response, 200, { data: [], pagination: { total_pages: 1 } });
      open += 1;
      most = Math.max(most, open);
      waiting.push(() => {
        open -= 1;
        json(response, 201, { ...JSON.parse(body), id: `id of ${JSON.parse(body).name}` });
      });
      // Three are accepted before the first response; the last ones are fewer.
      if (waiting.length === 3) for (const answer of waiting.splice(0)) answer();
    });
    const formulary = machine({ ...env, FORMULARY_PROFILE: '' });
    const { code } = await push(formulary, formulaTree('a', 'b', 'c', 'd', 'e', 'f'), '--concurrency', '3');
    expect({ code, most }).toEqual({ code: 0, most: 3 });
  });

  it('sends at most --rate requests per second', async () => {
    const { formulary, requests } = await service(() => undefined);
    const waits: number[] = [];
    const { host } = testHost({ env: { ...formulary.env } });
    const slow = { ...host, sleep: async (milliseconds: number) => void waits.push(milliseconds) };
    expect(await main(['formula', 'push', formulaTree('a', 'b', 'c'), '--rate', '2/s'], slow)).toBe(0);
    // A list before, and one after, which this service has no totals for.
    expect(requests.map(({ method }) => method)).toEqual(['GET', 'POST', 'POST', 'POST', 'GET', 'GET']);
    expect(Math.max(...waits)).toBeGreaterThan(1000);
    for (const rate of ['0', '-1', 'many', '5/m']) {
      expect((await formulary(['push', formulaTree('a'), '--rate', rate])).code, rate).toBe(2);
    }
  });

  it('reports that the lock file could not be written, although the formulas were published', async () => {
    const { formulary, formulas } = await service(() => undefined);
    const root = formulaTree('a');
    mkdirSync(join(root, 'formulas.lock.json'));
    expect((await push(formulary, root)).code).toBe(3);
    expect(formulas).toEqual([]);
  });
});

describe('in GitHub Actions', () => {
  it('the plan and the outcome are added to the step summary, and failures are annotated at their manifests', async () => {
    const summary = join(folderWith(), 'summary.md');
    const formulary = machine({ GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: summary });
    const root = formulaTree('a', 'b');
    await diff(formulary, root);
    await push(formulary, join(root, 'a'));
    const other = machine({ FORMULARY_LOCAL_DATA: formulary.env['FORMULARY_LOCAL_DATA'] ?? '' });
    await other(['update', 'a', folderWith(cardFiles({ name: 'a', description: 'theirs' }))]);
    edit(root, 'a', { description: 'mine' });
    const { err } = await push(formulary, root);
    const text = readFileSync(summary, 'utf8');
    expect(text).toContain('### formulary formula diff\n\n2 to create, 0 to update, 0 up to date\n');
    expect(text).toContain(`| created | b | ${join(root, 'b')}`);
    expect(text).toContain(`| conflict | a | ${join(root, 'a')}`);
    expect(err).toContain(`::error file=${join(root, 'a/manifest.json')},line=1,col=1,title=conflict::`);
  });

  it('a summary that cannot be written is a warning', async () => {
    const formulary = machine({ GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: folderWith() });
    const { code, err } = await push(formulary, formulaTree('a'));
    expect({ code, err }).toEqual({ code: 0, err: 'warning: could not write the step summary (EISDIR)\n' });
  });
});

describe('diff', () => {
  it('shows fields, code as a unified diff, and icons by type, size, and hash, and exits with 10', async () => {
    const formulary = machine();
    const root = formulaTree('a', 'b');
    await push(formulary, join(root, 'a'));
    edit(root, 'a', { description: 'edited', configuration: [{ name: 'REGION', type: 'string' }] });
    writeFileSync(join(root, 'a/code.js'), `// edited\n${CARD_CODE}`);
    writeFileSync(join(root, 'a/icon.png'), PIXEL);
    const { code, out, err } = await formulary(['diff', root]);
    expect(code).toBe(10);
    expect(out).toContain(`description: "${CARD_MANIFEST.description}" → "edited"`);
    expect(out).toMatch(/icon: null → "image\/png, 68 bytes, sha256 [0-9a-f]{12}"/);
    expect(out).toContain('    +// edited\n');
    expect(out).toContain('    +{"name":"REGION","type":"string"}\n');
    expect(err).toContain('1 to create, 1 to update, 0 up to date, 1 breaking\n');
    const document = JSON.parse((await diff(formulary, root)).out);
    expect(document.summary).toEqual({ total: 2, create: 1, update: 1, keep: 0, delete: 0, conflict: 0, unmanaged: 0 });
    expect(document.items[0].changes.map(({ field }: { field: string }) => field)).toEqual([
      'description',
      'icon',
      'code',
      'configuration',
    ]);
  });

  it('writes nothing anywhere', async () => {
    const formulary = machine();
    const root = formulaTree('a');
    await push(formulary, root, '--no-lock');
    const state = folderWith();
    const reader = machine({ ...formulary.env, XDG_STATE_HOME: state });
    await diff(reader, root);
    await push(reader, root, '--dry-run');
    expect([readdirSync(state), readdirSync(root)]).toEqual([[], ['a']]);
  });

  it('rejects an invalid folder', async () => {
    const root = formulaTree('a', 'b');
    edit(root, 'b', { type: 'x' });
    const { code, out, err } = await diff(machine(), root);
    expect({ code, out }).toEqual({ code: 3, out: '' });
    expect(JSON.parse(err).error.details.findings).toMatchObject([{ folder: join(root, 'b'), rule: 'type-value' }]);
  });
});
