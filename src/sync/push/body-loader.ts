/** Records what a push is about to send, for many steps in one write of the file: one for each would take minutes. */
import type { LocalFormula } from '../../check/local-formula.ts';
import { CliError } from '../../errors.ts';
import { hashContent, hashFields, isOutline } from '../../formula-fields.ts';
import type { FormulaBody } from '../../model.ts';
import type { PendingWrite } from '../../state/remote-baseline.ts';
import { mergeFormula } from '../merge-formula.ts';
import type { Tracking } from '../tracking.ts';
import type { Step } from './plan.ts';

/** Reads the body of a folder again. Raises invalid (3) if it is no longer valid. */
export type ReloadBody = (local: LocalFormula) => Promise<FormulaBody>;

/** Steps whose bodies are loaded before they are sent; while they are sent, those of the next steps are loaded. */
const MAX_LOADED = 100;

/** The body of each step, until it is sent. */
type LoadedBodies = Map<Step, Promise<FormulaBody>>;

/** Returns the body that a step sends, after recording it. Raises invalid (3) if the folder changed since it was planned. */
export function createBodyLoader(
  steps: readonly Step[],
  reloadBody: ReloadBody,
  { recordPending }: Pick<Tracking, 'recordPending'>,
): (step: Step) => Promise<FormulaBody> {
  const uncached = steps.filter(({ action, local }) => (action === 'create' || action === 'update') && !local?.body);
  const indexes = new Map(uncached.map((step, i) => [step, i]));
  const cachedRecorded = recordPending(steps.flatMap((step) => listWrites(step, step.local?.body)));
  const parts = new Map<number, Promise<LoadedBodies>>();
  const loadPart = (part: number) => {
    const loading =
      parts.get(part) ??
      loadAndRecord(uncached.slice(part * MAX_LOADED, (part + 1) * MAX_LOADED), reloadBody, recordPending);
    parts.set(part, loading);
    return loading;
  };
  return async (step) => {
    await cachedRecorded;
    const index = indexes.get(step);
    if (index === undefined) return loadPlannedBody(step, reloadBody);
    const part = Math.floor(index / MAX_LOADED);
    const loaded = await loadPart(part);
    void loadPart(part + 1);
    const body = loaded.get(step) ?? loadPlannedBody(step, reloadBody);
    loaded.delete(step);
    return body;
  };
}

/** A body that cannot be loaded is the error of its step. */
async function loadAndRecord(
  steps: readonly Step[],
  reloadBody: ReloadBody,
  recordPending: Tracking['recordPending'],
): Promise<LoadedBodies> {
  const loaded: LoadedBodies = new Map();
  const writes: PendingWrite[] = [];
  for (const step of steps) {
    const loading = loadPlannedBody(step, reloadBody);
    loaded.set(step, loading);
    writes.push(...listWrites(step, await loading.catch(() => undefined)));
  }
  await recordPending(writes);
  return loaded;
}

/** Empty for a remote formula without its content, which is read again before the update. */
function listWrites({ action, path: folder, remote }: Step, body: FormulaBody | undefined): PendingWrite[] {
  if (body && action === 'create') return [{ folder, remote: undefined, hash: hashContent(body) }];
  if (!body || !remote || action !== 'update' || isOutline(remote)) return [];
  return [{ folder, remote, hash: hashContent(mergeFormula(body, remote, { removeIcon: false }).body) }];
}

/** Only what was planned is sent: raises invalid (3) if it must be read again and has changed. */
async function loadPlannedBody({ local: planned }: Step, reloadBody: ReloadBody): Promise<FormulaBody> {
  if (!planned) throw new Error('a step that is sent has no folder');
  if (planned.body) return planned.body;
  const body = await reloadBody(planned);
  const hashes = hashFields(body);
  const fields = Object.keys({ ...hashes, ...planned.hashes }) as (keyof FormulaBody)[];
  if (fields.every((field) => hashes[field] === planned.hashes[field])) return body;
  throw new CliError('invalid', `${planned.folder} changed during the push and was skipped`, {
    hint: 'Run the command again.',
  });
}
