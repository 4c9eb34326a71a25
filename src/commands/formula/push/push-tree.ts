/** Pushes a tree of folders. */
import type { Outcome } from '../../../errors.ts';
import type { Step } from '../../../sync/push/plan.ts';
import type { PlanFlags } from '../../../sync/push/prepare-push.ts';
import { applyPush, finishPush } from './apply-push.ts';
import { type PushContext, planTree } from './plan-tree.ts';
import { assertPruneAllowed, assertSameDeletions, confirmDeletions, formatDeletionsHint } from './push-deletions.ts';

/** Characters of remote code and icons that are kept in memory; the rest is read again when needed. */
const MAX_CHARACTERS = 64 * 1024 * 1024;

/** Applies the plan of the folders, after the prompt for its deletions. */
export async function pushTree(context: PushContext): Promise<Outcome> {
  const { paths, tree, flags, report, session } = context;
  const options = { ...flags, maxCharacters: MAX_CHARACTERS };
  let confirmed: readonly Step[] | undefined;
  if (flags.prune && !flags.yes) {
    // Prompts without the write lock, so that other commands do not wait for the answer.
    confirmed = await confirmPlan(context, options);
    if (!confirmed) return 'invalid';
  }
  return session.write(async (writing) => {
    const planned = await planTree(context, writing, options, confirmed);
    if (!planned) return 'invalid';
    const { steps } = planned.plan;
    if (confirmed) assertSameDeletions(confirmed, steps);
    if (replacesVersions(steps)) writing.requireHistory();
    assertPruneAllowed(steps, flags.maxDeletes, formatDeletionsHint(paths, flags, writing.client.command));
    const applied = await applyPush(planned, writing, flags, session);
    tree.saveCleanCache();
    return finishPush(applied, report, session);
  });
}

/** The steps whose deletions the user confirmed; undefined for duplicate folders, which are reported. */
async function confirmPlan(context: PushContext, options: PlanFlags): Promise<readonly Step[] | undefined> {
  const { paths, flags, session } = context;
  const { host } = session;
  const connection = await session.connect();
  const planned = await planTree(context, connection, options);
  if (!planned) return undefined;
  const { steps } = planned.plan;
  if (replacesVersions(steps)) await session.requireHistory();
  assertPruneAllowed(steps, flags.maxDeletes, formatDeletionsHint(paths, flags, connection.client.command));
  await confirmDeletions(steps, host);
  return steps;
}

const replacesVersions = (steps: readonly Step[]) =>
  steps.some(({ action }) => action === 'update' || action === 'delete');
