/** Carries out the steps of a plan, several at a time, and says how each ended. */
import type { Send } from '../../api/client.ts';
import { getFormula } from '../../api/formula-reads.ts';
import { createFormula, deleteFormula, updateFormula } from '../../api/formula-writes.ts';
import type { LocalFormula } from '../../check/local-formula.ts';
import { CliError } from '../../errors.ts';
import { contentHash, isOutline, outline, printsOf } from '../../formula-content.ts';
import type { Formula, FormulaBody } from '../../model.ts';
import { forgetSeen, noteSeen, type Seen } from '../../state/remote-baseline.ts';
import type { SharedFile } from '../../state/shared-json.ts';
import type { Identities } from '../links.ts';
import { mergeFormula } from '../merge.ts';
import type { Step } from './plan.ts';
import { findNameConflicts } from './same-name.ts';

export type StepOutcome =
  | 'created'
  | 'updated'
  | 'unchanged'
  | 'deleted'
  | 'conflict'
  | 'failed'
  | 'unknown'
  | 'not_started';

export interface StepResult {
  step: Step;
  outcome: StepOutcome;
  /** The id of the formula as it is now; the formulas themselves may be thousands, with their codes and icons. */
  id?: string | undefined;
  error?: CliError | undefined;
  /** How long it took. */
  durationMs?: number;
}

/** What steps are carried out with. */
export interface ApplyWorld {
  send: Send;
  /** The body of a folder; and whether it is known to be what was planned. */
  bodyOf(local: LocalFormula): Promise<{ body: FormulaBody; isUnchanged: boolean }>;
  saveVersion(operation: 'update' | 'delete', formula: Formula): void;
  identities: Identities;
  seen: SharedFile<Seen> | undefined;
  /** Ids that were there before, to tell what a lost answer made; what is created is added. */
  knownIds: Set<string>;
  /** How many steps run at once. */
  concurrency: number;
  /** Asked before each step; after a yes no more are begun. */
  isStopping(): boolean;
  failFast: boolean;
  /** Hears of each step as it ends. */
  report(result: StepResult): void;
}

/** Carries out steps; gives the results in the order of the steps. Never raises: a step's error is in its result. */
export async function applySteps(steps: readonly Step[], world: ApplyWorld): Promise<StepResult[]> {
  const results: StepResult[] = steps.map((step) => ({ step, outcome: 'not_started' }));
  const queue = steps.entries();
  let hasFailed = false;
  const work = async () => {
    for (const [i, step] of queue) {
      if (world.isStopping() || (world.failFast && hasFailed)) return;
      const began = performance.now();
      const result = { ...(await carryOut(step, world)), durationMs: performance.now() - began };
      results[i] = result;
      if (result.error) hasFailed = true;
      world.report(result);
    }
  };
  await Promise.all(Array.from({ length: Math.min(world.concurrency, steps.length) }, work));
  return results;
}

/** Turns what was created into a conflict, where another computer created the same name at the same time. */
export async function withNameConflicts(
  results: readonly StepResult[],
  send: Send,
  known: ReadonlySet<string>,
): Promise<StepResult[]> {
  const created = results.flatMap(({ step, outcome, id }) =>
    outcome === 'created' && id !== undefined && step.local ? [{ id, name: step.local.name }] : [],
  );
  const conflicts = await findNameConflicts(send, created, known);
  return results.map((result) => {
    const error = result.id === undefined ? undefined : conflicts.get(result.id);
    return error ? { ...result, outcome: 'conflict', error } : result;
  });
}

async function carryOut(step: Step, world: ApplyWorld): Promise<StepResult> {
  try {
    return await ACTIONS[step.action](step, world);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    if (error.outcome === 'interrupted') return { step, outcome: 'not_started' };
    const { local } = step;
    const { withPlaces } = await import('../locate-field-errors.ts');
    const shown = local ? withPlaces(error, { typed: local.folder, path: local.path }) : error;
    return { step, outcome: error.outcome === 'unknown' ? 'unknown' : 'failed', error: shown };
  }
}

type CarryOut = (step: Step, world: ApplyWorld) => Promise<StepResult>;

const ACTIONS: Readonly<Record<Step['action'], CarryOut>> = {
  keep: async (step, world) => {
    const formula = present(step.remote);
    noteDone(step, formula, world);
    return { step, outcome: 'unchanged', id: formula.id };
  },
  create: async (step, world) => {
    const formula = await createFormula(world.send, await bodyOf(step, world), world.knownIds);
    // Two folders cannot be one formula: an answer with this id once more proves nothing.
    world.knownIds.add(formula.id);
    noteDone(step, formula, world);
    return { step, outcome: 'created', id: formula.id };
  },
  update: async (step, world) => {
    const remote = await completeRemote(step, world);
    const { body } = mergeFormula(await bodyOf(step, world), remote, { removeIcon: false });
    world.saveVersion('update', remote);
    const formula = await updateFormula(world.send, remote.id, body, remote);
    noteDone(step, formula, world);
    return { step, outcome: 'updated', id: formula.id };
  },
  delete: async (step, world) => {
    const remote = await completeRemote(step, world);
    world.saveVersion('delete', remote);
    await deleteFormula(world.send, remote.id);
    world.identities.unlink(step.path);
    forgetSeen(world.seen, remote);
    return { step, outcome: 'deleted' };
  },
  conflict: async (step) => {
    const name = step.local?.name ?? step.remote?.name;
    const message = name ? `${JSON.stringify(name)}: ${step.reason}` : `${step.reason}`;
    if (step.isOpen) return { step, outcome: 'failed', error: new CliError('unavailable', message) };
    return { step, outcome: 'conflict', error: new CliError('conflict', message) };
  },
};

function noteDone(step: Step, formula: Formula, { identities, seen }: ApplyWorld): void {
  identities.link(step.path, formula.id);
  noteSeen(seen, formula);
}

/** The formula that was planned with, read again where its code and icon were dropped. Raises conflict where it changed since. */
async function completeRemote(step: Step, { send }: ApplyWorld): Promise<Formula> {
  const remote = present(step.remote);
  if (!isOutline(remote)) return remote;
  const found = await getFormula(send, remote.id);
  if (contentHash(outline(found)) === contentHash(remote)) return found;
  const message = `${JSON.stringify(remote.name)} was changed on the service while the push ran`;
  throw new CliError('conflict', message, { hint: 'Run the command again.', details: { ids: [remote.id] } });
}

/** What was planned is what is sent: a folder that changed since is refused. */
async function bodyOf({ local }: Step, world: ApplyWorld): Promise<FormulaBody> {
  const planned = present(local);
  const { body, isUnchanged } = await world.bodyOf(planned);
  if (isUnchanged) return body;
  const [prints, before] = [printsOf(body), planned.prints ?? printsOf(planned.body)];
  const fields = Object.keys({ ...prints, ...before }) as (keyof FormulaBody)[];
  if (fields.every((field) => prints[field] === before[field])) return body;
  throw new CliError('invalid', `${planned.folder} was changed while the push ran; nothing of it was sent`, {
    hint: 'push it again',
  });
}

/** The parts that a step of its action has. */
function present<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('a step of a plan lacks a part');
  return part;
}
