/** formula test --compare, with the code of both versions in real processes. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cardFiles, folderWith, inFolder } from '../helpers/folders.ts';
import { commit, git } from '../helpers/git.ts';
import { machine } from '../helpers/machine.ts';
import { run } from '../helpers/test-host.ts';
import { node16 } from '../node16/setup.ts';

const AMOUNT = { configuration: [], request_parameters: [{ name: 'amount', type: 'number' }] };
const TEST = JSON.stringify({ name: 'half', args: { amount: 5 }, expect: { raw: {} } });

/** Formulas that were committed with the first code, and have the second one now. */
function repository(codes: Record<string, [before: string, after: string]>, files: Record<string, string> = {}) {
  const names = Object.keys(codes);
  const folderOf = (name: string, code: string) =>
    inFolder(`f/${name}`, cardFiles({ name, ...AMOUNT }, { 'code.js': `module.exports = ${code};\n` }));
  const cwd = folderWith({
    ...Object.assign({}, ...names.map((name) => folderOf(name, codes[name]?.[0] ?? ''))),
    ...files,
  });
  git(cwd, 'init', '-q');
  commit(cwd, 'all');
  for (const name of names) writeFileSync(join(cwd, `f/${name}/code.js`), `module.exports = ${codes[name]?.[1]};\n`);
  return cwd;
}

async function compare(cwd: string, ...words: string[]) {
  const on = node16 ? ['--node', node16] : [];
  const { code, out, err } = await run(
    ['formula', 'test', 'f', '--compare', 'HEAD', '--seed', '7', '--json', ...on, ...words],
    { cwd },
  );
  if (!out) throw new Error(err);
  const { items, summary } = JSON.parse(out);
  return { code, items, summary };
}

const twice = (code: string): [string, string] => [code, `${code} // again`];

describe('formula test --compare', () => {
  it('finds a difference, shows the smallest input, and passes code that only looks different', async () => {
    const cwd = repository(
      {
        changed: [
          `async ({ args }) => ({ raw: { rate: args.amount >= 5000 ? 2 : 1, at: Date.now() } })`,
          `async ({ args }) => ({ raw: { at: Date.now(), rate: args.amount > 5000 ? 2 : 1 } })`,
        ],
        same: [
          `async ({ args }) => ({ raw: { id: require('crypto').randomUUID(), half: args.amount / 2 } })`,
          `async (req) => { const { amount } = req.args; return { raw: { half: amount * 0.5, id: require('crypto').randomUUID() } }; }`,
        ],
      },
      { 'f/changed/tests/a.json': TEST },
    );
    const reports = ['--report', 'junit=r.xml', '--generate', '40'];
    const { code, items, summary } = await compare(cwd, ...reports);
    const at = Date.UTC(2026, 0, 31, 12);
    expect({ code, items, summary }).toEqual({
      code: 10,
      items: [
        {
          folder: 'f/changed',
          case: null,
          outcome: 'differs',
          input: { args: { amount: 5000 }, configuration: {} },
          old: { returns: { raw: { rate: 2, at } } },
          new: { returns: { raw: { rate: 1, at } } },
          calls: { tests: 1, generated: expect.any(Number), unanswered: 0, seed: 7 },
        },
        {
          folder: 'f/same',
          case: null,
          outcome: 'same',
          calls: { tests: 0, generated: 40, unanswered: 0, seed: 7 },
        },
      ],
      summary: { total: 2, same: 1, differs: 1, skipped: 0 },
    });
    expect(await compare(cwd, ...reports)).toEqual({ code, items, summary });
    expect(readFileSync(join(cwd, 'r.xml'), 'utf8')).toContain('returns.raw.rate: 2 → 1 for');
    const { out, err } = await run(
      ['formula', 'test', 'f', '--compare', 'HEAD', '--seed', '7', '--generate', '40', '--report', 'markdown=r.md'],
      { cwd },
    );
    expect(out).toMatch(/^differs f\/changed: generated call \d+\n {2}input: {3}\{"args":\{"amount":5000\}/);
    expect(out).toContain('same f/same: 40 calls\n');
    expect(err).toContain('1 same, 1 differs\nTo generate the same calls again, pass --seed 7.\n');
    const markdown = readFileSync(join(cwd, 'r.md'), 'utf8');
    expect(markdown).toContain('`returns.raw.rate: 2 → 1 for');
    expect(markdown).toContain('- `f/same`: same in 40 calls\n');
  });

  it('compares the calls of tests, and of generated inputs up to the first without a double', async () => {
    const request = (body: string, key = 'a') =>
      `async ({ args }) => new Promise((done, fail) => { const sent = require('https').request('https://a.example/', { method: 'POST', headers: { authorization: '${key}' } }, (got) => done({ raw: { is: got.statusCode } })); sent.on('error', fail); sent.end(${body}); })`;
    const http = [{ request: 'POST https://a.example/', times: 'any', response: { status: 201 } }];
    const test = (name: string) => ({ name, args: { amount: 5 }, doubles: { http }, expect: { raw: {} } });
    const cwd = repository(
      {
        body: [request("String(args.amount) + 'x'"), request("args.amount + 'y'")],
        key: [request("'x'"), request("'x'", 'b')],
        same: [request("args.amount + ''"), request('String(args.amount)')],
        tested: [request("args.amount + ''"), request('String(args.amount)')],
      },
      { 'f/tested/tests/a.json': JSON.stringify([test('a'), test('b')]) },
    );
    const { code, items } = await compare(cwd, '--generate', '20');
    const headers = { authorization: 'a' };
    const calls = (body: string) => [{ http: 'POST https://a.example/', headers, body }];
    const ends = 'at the last call, which has no double';
    expect(code).toBe(10);
    expect(items).toMatchObject([
      { input: { args: { amount: 0 } }, old: { ends, calls: calls('0x') }, new: { ends, calls: calls('0y') } },
      { old: { calls: [{ headers: { authorization: 'a' } }] }, new: { calls: [{ headers: { authorization: 'b' } }] } },
      { outcome: 'skipped', calls: { tests: 0, generated: 20, unanswered: 20 } },
      { outcome: 'same', calls: { tests: 2, generated: 20, unanswered: 20 } },
    ]);
    expect(items[2].error.message).toBe(
      'nothing was compared in 20 calls, 20 of which ended at a call without a double',
    );
  });

  it('sees no difference in what code leaves behind, in endless loops, and in results that change anyway', async () => {
    const cwd = repository({
      endless: twice(`async () => { for (;;); }`),
      state: [
        `async () => ({ raw: { n: (globalThis.n = (globalThis.n || 0) + 1) } })`,
        `(() => { let n = 0; return async () => ({ raw: { n: ++n } }); })()`,
      ],
      varies: twice(`async () => ({ raw: { pid: process.pid } })`),
    });
    const { code, items } = await compare(cwd, '--generate', '12', '--timeout', '0.5');
    expect(code).toBe(0);
    expect(items).toMatchObject([
      { folder: 'f/endless', outcome: 'same', calls: { generated: 3 } },
      { folder: 'f/state', outcome: 'same', calls: { generated: 12 } },
      { folder: 'f/varies', outcome: 'skipped' },
    ]);
  });

  it('with remote compares with the version on the service', async () => {
    const code = `async ({ args }) => ({ raw: { a: args.amount } })`;
    const cwd = repository({ a: [code, code] });
    const formulary = machine({ cwd });
    expect((await formulary('push f')).code).toBe(0);
    const other = `module.exports = async ({ args }) => { throw new Error('no ' + args.amount); };\n`;
    writeFileSync(join(cwd, 'f/a/code.js'), other);
    const { code: exit, out } = await formulary('test f --compare remote --json --generate 1');
    expect([exit, JSON.parse(out).items]).toMatchObject([
      10,
      [{ old: { returns: { raw: { a: 0 } } }, new: { throws: { message: 'no 0' } } }],
    ]);
  });

  it('compares code.ts with the bundle of the commit', async () => {
    const code = (sign: string) => `import { rate } from '../rate.ts';
      export default async ({ args }: { args: { amount: number } }) => ({ raw: { a: args.amount ${sign} rate } });\n`;
    const { 'code.js': _, ...files } = cardFiles({ name: 'a', ...AMOUNT });
    const cwd = folderWith({
      ...inFolder('f/a', { ...files, 'code.ts': code('*') }),
      'f/rate.ts': 'export const rate = 2;\n',
    });
    git(cwd, 'init', '-q');
    commit(cwd, 'all');
    writeFileSync(join(cwd, 'f/rate.ts'), 'export const rate = 3;\n');
    const { code: exit, items } = await compare(cwd);
    expect(exit).toBe(10);
    expect(items).toMatchObject([{ old: { returns: { raw: { a: 2 } } }, new: { returns: { raw: { a: 3 } } } }]);
  });
});
