/** What an edit did or would do: the result document, the diffs, and the lines on stderr. */
import { EDIT_OUTCOMES, type EditResult, type findUnappliedKeys } from '../edit/edit-result.ts';
import { toErrorDocument } from '../errors.ts';
import { toDisplayPath } from '../files/paths.ts';
import { escapeControls, escapeInvisible, escapeInvisibleInCode } from '../output/escape.ts';
import type { OutputTarget, View } from '../output/formats.ts';
import { countOutcomes } from '../sync/outcome.ts';

/** The result document; for people, a unified diff of each file, unless nothing is written because of invalid results. */
export async function editAnswer(results: readonly EditResult[]): Promise<View> {
  const { changedLines, formatDiff } = await import('../output/text-diff.ts');
  const items = results.map(({ edit, outcome, checked, error }) => ({
    folder: edit.place.typed,
    outcome,
    changes: edit.files.flatMap(({ file, before, after }) =>
      changedLines(before, after).map((change) => ({ file, ...change })),
    ),
    ...(outcome === 'invalid' && checked && { findings: checked.findings }),
    ...(error && toErrorDocument(error)),
  }));
  const counts = countOutcomes(
    results.map(({ outcome }) => outcome),
    EDIT_OUTCOMES,
  );
  const diffs = async (paper: OutputTarget) => {
    const { createStyle } = await import('../output/style.ts');
    const lines = results.flatMap(({ edit: { place, files } }) =>
      files.flatMap(({ file, before, after }) => {
        const name = toDisplayPath(place.typed, file);
        const show = file === 'manifest.json' ? escapeInvisible : escapeInvisibleInCode;
        return formatDiff({ from: name, to: name }, ...withLineFeeds(before, after), createStyle(paper), show);
      }),
    );
    return lines.map((line) => `${line}\n`).join('');
  };
  return {
    value: { schema_version: 1, items, summary: { total: results.length, ...counts } },
    table: (paper) => (counts['invalid'] ? '' : diffs(paper)),
  };
}

/** Without the carriage returns where every line has one in both texts: they would be shown as escapes. */
function withLineFeeds(before: string, after: string): [before: string, after: string] {
  const isCrLf = [before, after].every((text) => !/(?<!\r)\n/.test(text));
  return isCrLf ? [before.replaceAll('\r\n', '\n'), after.replaceAll('\r\n', '\n')] : [before, after];
}

const WORDS: Readonly<Record<(typeof EDIT_OUTCOMES)[number], string>> = {
  edited: 'edited',
  would_edit: 'to edit',
  unchanged: 'unchanged',
  skipped: 'skipped',
  invalid: 'invalid',
};

/** How many ended in which way, or that nothing was to be done. */
export function editSummary(results: readonly EditResult[]): string {
  if (results.length === 0) return 'nothing to do';
  const counts = countOutcomes(
    results.map(({ outcome }) => outcome),
    EDIT_OUTCOMES,
  );
  const texts = EDIT_OUTCOMES.filter((outcome) => counts[outcome]).map(
    (outcome) => `${counts[outcome]} ${WORDS[outcome]}`,
  );
  const isIdle =
    !counts['edited'] && !counts['would_edit'] && !counts['invalid'] && counts['skipped'] !== results.length;
  return `${isIdle ? 'nothing to do: ' : ''}${texts.join(', ')}`;
}

/** The changes that do not apply, by folder; for --verbose. */
export const skipLines = (results: readonly EditResult[]): string[] =>
  results.flatMap(({ edit: { place, skipped } }) =>
    skipped.flatMap((reason) => (reason === undefined ? [] : [escapeControls(`note: ${place.typed} ${reason}`)])),
  );

/** The KEYs that no formula has, as one line; undefined if there is none. */
export function unappliedText(unapplied: ReturnType<typeof findUnappliedKeys>): string | undefined {
  if (unapplied.length === 0) return undefined;
  const similar = unapplied.find((one) => one.similar !== undefined && one.similar !== one.key)?.similar;
  const keys = unapplied.map(({ key }) => key).join(', ');
  return `no formula has ${keys}${similar === undefined ? '' : `; did you mean "${similar}"?`}`;
}
