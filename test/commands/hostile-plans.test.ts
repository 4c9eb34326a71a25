/** Forged, edited, and damaged plans: nothing happens that folders, lock files, and service do not give by themselves. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { hashContent } from '../../src/formula-fields.ts';
import type { Formula } from '../../src/model.ts';
import type { PlanFile, PlannedStep } from '../../src/sync/push/plan-file.ts';
import { cardFiles, folderWith, inFolder } from '../helpers/folders.ts';
import { loopback } from '../helpers/loopback.ts';
import { planned, type Repository } from '../helpers/planned.ts';
import { expectExit, run } from '../helpers/test-host.ts';

const APPLY = 'push --plan plan.json';
const FORGED_LINE = 'x\nhint: forged';
const STRANGER = '00000000-0000-4000-8000-00000000dead';

interface Parts {
  plan: PlanFile;
  update: PlannedStep;
  create: PlannedStep;
  deletion: PlannedStep;
  /** A formula whose folder is there and equal. */
  equal: Formula;
  /** A formula that no lock file lists. */
  unlisted: Formula;
  attacker: string;
  /** A folder outside the repository that contains a formula. */
  outside: string;
}

const deletionOf = ({ deletion }: Parts, { id, name, ...rest }: Formula, folder = deletion.folder): PlannedStep => ({
  ...deletion,
  id,
  name,
  folder,
  remote_hash: hashContent({ ...rest, id, name }),
});
const FORGED_HASH = 'forged';

/** The steps, or the whole plan, that a forger writes. */
const FORGERIES: Record<string, [code: number, forge: (parts: Parts) => PlannedStep[] | Partial<PlanFile>]> = {
  'deletes the formula of a folder that is there': [3, (p) => [deletionOf(p, p.equal, 'formulas/b')]],
  'deletes it under the name of a folder that is gone': [3, (p) => [deletionOf(p, p.equal)]],
  'deletes it under the name of a folder that never was': [3, (p) => [deletionOf(p, p.equal, 'formulas/never')]],
  'deletes a formula that no lock file lists': [3, (p) => [deletionOf(p, p.unlisted)]],
  'deletes one for the folder above all': [3, (p) => [deletionOf(p, p.unlisted, '.')]],
  'deletes what is listed, outside its paths': [3, ({ plan, deletion }) => ({ ...plan, paths: [], steps: [deletion] })],
  'deletes another version': [6, ({ deletion }) => [{ ...deletion, remote_hash: FORGED_HASH }]],
  'sends another code': [3, ({ update }) => [{ ...update, local_hash: FORGED_HASH }]],
  'creates another code': [3, ({ create }) => [{ ...create, local_hash: FORGED_HASH }]],
  'creates another name': [3, ({ create }) => [{ ...create, name: 'forged' }]],
  'replaces another version': [6, ({ update }) => [{ ...update, remote_hash: FORGED_HASH }]],
  'replaces the formula of another folder': [3, ({ update, equal }) => [{ ...update, id: equal.id }]],
  'replaces a formula that no lock file lists': [3, ({ update, unlisted }) => [{ ...update, id: unlisted.id }]],
  'replaces a formula that does not exist': [3, ({ update }) => [{ ...update, id: STRANGER }]],
  'creates the formula of a folder that has one': [
    3,
    ({ update }) => [{ ...update, action: 'create', id: null, remote_hash: null }],
  ],
  'creates what exists': [
    0,
    ({ create, equal }) => [{ ...create, folder: 'formulas/b', name: equal.name, local_hash: hashContent(equal) }],
  ],
  'is for a repository outside': [
    3,
    ({ plan, create, outside }) => ({ ...plan, repository: outside, steps: [{ ...create, folder: 'outside' }] }),
  ],
  'sends a folder outside the repository': [3, ({ create }) => [{ ...create, folder: '../outside' }]],
  'sends a folder behind a link': [3, ({ create }) => [{ ...create, folder: 'formulas/link' }]],
  'sends a folder below a link': [3, ({ create }) => [{ ...create, folder: 'linked/outside' }]],
  'writes another lock file': [3, ({ create }) => [{ ...create, lock_file: 'formulas.lock.json' }]],
  'searches everything': [3, ({ plan }) => ({ ...plan, paths: ['/'] })],
  'is for the URL of an attacker': [2, ({ plan, attacker }) => ({ ...plan, base_url: attacker })],
  'is for another target': [2, ({ plan }) => ({ ...plan, target: 'production' })],
  'deletes more than --max-deletes': [
    2,
    ({ deletion }) =>
      Array.from({ length: 6 }, (_, i) => ({ ...deletion, folder: `formulas/${i}`, id: `${deletion.id}${i}` })),
  ],
  'sends a folder twice': [3, ({ update }) => [update, { ...update, id: STRANGER }]],
  'hides a conflict behind control characters': [
    6,
    ({ update }) => [{ ...update, action: 'conflict', reason: '\u001b[2J\n::error::x' }],
  ],
  'forges a line with its reason': [6, ({ update }) => [{ ...update, action: 'conflict', reason: FORGED_LINE }]],
  'forges a line with its folder': [6, ({ update }) => [{ ...update, action: 'conflict', folder: FORGED_LINE }]],
  'forges a line with its lock file': [3, ({ deletion }) => [{ ...deletion, lock_file: FORGED_LINE }]],
  'forges a line with its id': [3, ({ deletion }) => [{ ...deletion, id: FORGED_LINE }]],
  'forges a line with its base URL': [2, ({ plan }) => ({ ...plan, base_url: FORGED_LINE })],
  'forges a line with its target': [2, ({ plan }) => ({ ...plan, target: FORGED_LINE })],
  'forges a line with its paths': [
    6,
    ({ plan, update }) => ({ ...plan, paths: [FORGED_LINE], steps: [{ ...update, action: 'conflict' }] }),
  ],
  'hides a change behind control characters': [
    3,
    ({ plan, create }) => ({ ...plan, tool_version: '\u001b[2J', steps: [{ ...create, local_hash: FORGED_HASH }] }),
  ],
  'has a prototype': [3, ({ plan }) => ({ ...plan, steps: [JSON.parse('{"__proto__":{"action":"delete"}}')] })],
};

async function listParts(formulary: Repository, outside: string): Promise<Parts> {
  expect((await formulary(`create ${folderWith(cardFiles({ name: 'unlisted' }))}`)).code).toBe(0);
  const formulas: Formula[] = JSON.parse((await formulary('list --json')).out);
  const find = (name: string) => formulas.find((one) => one.name === name) as Formula;
  const plan = formulary.plan() as unknown as PlanFile;
  const [update, create, deletion] = plan.steps as [PlannedStep, PlannedStep, PlannedStep];
  const { url } = await loopback((_, response) => void response.writeHead(500).end());
  return { plan, update, create, deletion, equal: find('b'), unlisted: find('unlisted'), attacker: url, outside };
}

it('a forged plan sends nothing', async () => {
  const formulary = await planned();
  const { cwd } = formulary;
  const outside = folderWith(inFolder('outside', cardFiles({ name: 'd' })));
  symlinkSync(join(outside, 'outside'), join(cwd, 'formulas/link'));
  symlinkSync(outside, join(cwd, 'linked'));
  const original = readFileSync(join(cwd, 'plan.json'));
  const lock = readFileSync(join(cwd, 'formulas/formulas.lock.json'));
  const parts = await listParts(formulary, outside);
  const before = (await formulary('list --json')).out;
  const results: Record<string, unknown> = {};
  for (const [title, [, forge]] of Object.entries(FORGERIES)) {
    const forged = forge(parts);
    const plan = Array.isArray(forged) ? { ...parts.plan, steps: forged } : forged;
    writeFileSync(join(cwd, 'plan.json'), JSON.stringify(plan));
    const applied = formulary(APPLY);
    results[title] = await formulary.writes(applied);
    const { err } = await applied;
    if (err.includes('\u001b') || /internal error|^::|^hint: forged/m.test(err)) results[title] = err;
  }
  expect(results).toEqual(Object.fromEntries(Object.entries(FORGERIES).map(([title, [code]]) => [title, [code]])));
  expect((await formulary('list --json')).out).toBe(before);
  expect(readFileSync(join(cwd, 'formulas/formulas.lock.json'))).toEqual(lock);
  // The plan itself is still the one to apply.
  writeFileSync(join(cwd, 'plan.json'), original);
  expect((await formulary.writes(formulary(APPLY))).sort()).toEqual([0, 'DELETE', 'POST', 'PUT']);
});

const MIB = 1024 * 1024;

it.each<[string, number, string, (file: string, plan: Buffer) => void]>([
  ['is missing', 2, 'it does not exist', () => undefined],
  ['is a folder', 2, 'it is a folder', (file) => mkdirSync(file)],
  ['is a pipe without a writer', 2, 'it is a pipe', (file) => execFileSync('mkfifo', [file])],
  ['is a link to a device', 2, 'it is a pipe, socket, or device', (file) => symlinkSync('/dev/zero', file)],
  [
    'is a link to a file outside',
    2,
    'it is a link to a file outside the repository',
    (file, plan) => symlinkSync(join(folderWith({ plan }), 'plan'), file),
  ],
  ['has 65 MiB', 2, 'it is larger than 64 MiB', (file) => writeZeros(file, 65 * MIB)],
  ['has 63 MiB of zeros', 3, 'is not a valid plan', (file) => writeZeros(file, 63 * MIB)],
  ['is not JSON', 3, 'is not a valid plan', (file) => writeFileSync(file, '<html>')],
  ['is not UTF-8', 3, 'is not a valid plan', (file) => writeFileSync(file, Buffer.from([0xff, 0xfe, 0, 0]))],
])('a plan that %s is refused before any request', async (_, code, problem, damage) => {
  const cwd = folderWith();
  damage(join(cwd, 'plan.json'), Buffer.from(JSON.stringify({ schema_version: 1, paths: ['formulas'], steps: [] })));
  expectExit(await run(['formula', ...APPLY.split(' ')], { cwd }), code, problem, '');
});

function writeZeros(file: string, length: number): void {
  writeFileSync(file, '');
  truncateSync(file, length);
}
