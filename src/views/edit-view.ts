/** The result of an edit: document, diffs, and lines on stderr. */
import { EDIT_OUTCOMES, type EditResult } from '../edit/change-folder.ts';
import type { UnappliedKey } from '../edit/prepare-edit.ts';
import { CliError, type Outcome, toErrorDocument } from '../errors.ts';
import { toDisplayPath } from '../files/paths.ts';
import { escapeControls } from '../output/escape.ts';
import type { OutputTarget, View } from '../output/formats.ts';
import { combineOutcomes, countOutcomes, formatCounts } from '../sync/outcome.ts';
import { toDocument } from './list-view.ts';

export const EDIT_FIELDS: readonly string[] = ['folder', 'outcome', 'changes', 'findings', 'error'];

const countEdits = (results: readonly EditResult[]) => countOutcomes(results, 'outcome', EDIT_OUTCOMES);

/** The result document; as a table, a unified diff of each file, unless a result is invalid. */
export async function editView(results: readonly EditResult[]): Promise<View> {
  const { findChangedLines, formatDiff } = await import('../output/text-diff.ts');
  const items = results.map(({ folder, manifest, outcome, checked, error }) => ({
    folder: folder.displayPath,
    outcome,
    changes: manifest
      ? findChangedLines(manifest.before, manifest.after).map((change) => ({ file: 'manifest.json', ...change }))
      : [],
    ...(outcome === 'invalid' && checked && { findings: checked.findings }),
    ...(error && toErrorDocument(error)),
  }));
  const counts = countEdits(results);
  const diffs = async (target: OutputTarget) => {
    const { createStyle } = await import('../output/style.ts');
    const lines = results.flatMap(({ folder, manifest }) => {
      if (!manifest) return [];
      const name = toDisplayPath(folder.displayPath, 'manifest.json');
      const texts = withLineFeeds(manifest.before, manifest.after);
      return formatDiff({ from: name, to: name }, ...texts, createStyle(target));
    });
    return lines.map((line) => `${line}\n`).join('');
  };
  return {
    value: toDocument(items, counts),
    table: (target) => (counts['invalid'] ? '' : diffs(target)),
  };
}

/** Removes the carriage returns, which would be printed as escapes, if every line of both texts has one. */
function withLineFeeds(before: string, after: string): [before: string, after: string] {
  const isCrLf = [before, after].every((text) => !/(?<!\r)\n/.test(text));
  return isCrLf ? [before.replaceAll('\r\n', '\n'), after.replaceAll('\r\n', '\n')] : [before, after];
}

/** The summary line: the number of formulas per outcome. */
export function formatEditSummary(results: readonly EditResult[]): string {
  if (results.length === 0) return 'nothing to do';
  const failed = results.filter(({ error }) => error).length;
  const counts = countEdits(results);
  // After a failed write, what was written comes first.
  if (failed > 0) return `${counts['edited'] ?? 0} edited, ${failed} not written`;
  const isIdle =
    !counts['edited'] && !counts['would_edit'] && !counts['invalid'] && counts['skipped'] !== results.length;
  return `${isIdle ? 'nothing to do: ' : ''}${formatCounts(counts, (outcome) => outcome.replace('would_', 'to '))}`;
}

/** Notes about changes that do not apply, for --verbose. */
export const formatSkippedChanges = (results: readonly EditResult[]): string[] =>
  results.flatMap(({ folder, skipped }) =>
    skipped.flatMap((reason) =>
      reason === undefined ? [] : [escapeControls(`note: ${folder.displayPath} ${reason}`)],
    ),
  );

/** One line with the KEYs that no formula has; undefined if there are none. */
export function formatUnappliedKeys(unapplied: readonly UnappliedKey[]): string | undefined {
  if (unapplied.length === 0) return undefined;
  const similar = unapplied.find((one) => one.similar !== undefined && one.similar !== one.key)?.similar;
  const keys = unapplied.map(({ key }) => key).join(', ');
  return `no formula has ${keys}${similar === undefined ? '' : `; did you mean "${similar}"?`}`;
}

/**
 * What to do if a result is invalid, otherwise the command that compares the behavior of the edited formulas with the commit,
 * or without one those that publish them; none after an error, or if their paths were read from standard input.
 */
export function formatEditNextSteps(
  results: readonly EditResult[],
  args: readonly string[] | undefined,
  command: (line: string, ...args: readonly string[]) => string,
  hasCommit: boolean,
): string[] {
  if (results.some(({ outcome }) => outcome === 'invalid'))
    return ['No files were changed. Fix the errors above and run the command again.'];
  const isIncomplete = results.some(({ error }) => error) || results.every(({ outcome }) => outcome !== 'edited');
  if (args === undefined || isIncomplete) return [];
  if (hasCommit) return [`next: ${command('formula test', ...args, '--compare', 'HEAD')}`];
  return ['diff', 'push'].map((verb) => `next: ${command(`formula ${verb}`, ...args)}`);
}

/** Raises interrupted (130) if formulas were not edited because of a signal. */
export function decideEditOutcome(
  results: readonly EditResult[],
  { dryRun }: { dryRun?: boolean | undefined },
): Outcome {
  const { edited, would_edit: left, invalid } = countEdits(results);
  if (invalid > 0) return 'invalid';
  if (dryRun) return left > 0 ? 'differs' : 'ok';
  if (results.some(({ outcome, error }) => outcome === 'would_edit' && !error)) {
    throw new CliError('interrupted', `interrupted: ${edited} of ${edited + left} formulas were edited`, {
      hint: 'Run the command again to edit the remaining formulas.',
    });
  }
  return combineOutcomes(results);
}
