/** The result of a push: document, table, report, and lines on stderr. */
import { limitFindings } from '../check/limit-findings.ts';
import { toErrorDocument } from '../errors.ts';
import { toDisplayPath } from '../files/paths.ts';
import { escapeControls } from '../output/escape.ts';
import type { View } from '../output/formats.ts';
import type { Column } from '../output/tsv.ts';
import { type JunitCase, toFailures } from '../report/junit.ts';
import type { SummaryRow } from '../report/step-summary.ts';
import { countOutcomes, formatCounts, STEP_OUTCOMES } from '../sync/outcome.ts';
import { formatBreakingChange } from '../sync/push/breaking-changes.ts';
import type { StepResult } from '../sync/push/plan.ts';
import { tableView, toDocument } from './list-view.ts';
import { REMARK_FIELDS, toRemarks } from './plan-view.ts';
import { statusColumn } from './status-icons.ts';

export const PUSH_FIELDS: readonly string[] = [
  'folder',
  'id',
  'name',
  'outcome',
  ...REMARK_FIELDS,
  'changed',
  'findings',
  'error',
];

const COLUMNS: readonly Column<StepResult>[] = [
  statusColumn('OUTCOME', ({ outcome }) => outcome),
  { title: 'FOLDER', cell: ({ folder }) => folder.displayPath, kind: 'path' },
  { title: 'ID', cell: ({ id }) => id ?? '', kind: 'id' },
  { title: 'NAME', cell: ({ name }) => name ?? '', kind: 'name' },
];

const countSteps = (results: readonly StepResult[]) => countOutcomes(results, 'outcome', STEP_OUTCOMES);

const overwrites = ({ step, outcome }: StepResult) => step?.overwrites === true && outcome !== 'conflict';

const formatNote = (result: StepResult) =>
  [...(overwrites(result) ? ['overwrites'] : []), ...(result.step?.breaking ? ['breaking'] : [])].join(', ');

/** Only where a row has one. */
const NOTE_COLUMN = { title: 'NOTE', cell: formatNote };

/** The result document; on a terminal, a table without unchanged formulas. */
export function pushView(results: readonly StepResult[]): View {
  return {
    value: toDocument(results.map(toItem), countSteps(results)),
    table: (target) => {
      const shown = target.isTerminal ? results.filter(({ outcome }) => outcome !== 'unchanged') : results;
      const rows = joinNotStarted(shown);
      const columns = rows.some(formatNote) ? [...COLUMNS, NOTE_COLUMN] : COLUMNS;
      return rows.length === 0 ? '' : tableView(rows, columns).table(target);
    },
  };
}

/** What was not started has one cause, so it is one row. */
function joinNotStarted(results: readonly StepResult[]): readonly StepResult[] {
  const [first, ...more] = results.filter(({ outcome }) => outcome === 'not_started');
  if (first === undefined || more.length === 0) return results;
  const folder = { path: '', displayPath: `${more.length + 1} folders` };
  const others = results.filter(({ outcome }) => outcome !== 'not_started');
  return [...others, { folder, name: null, outcome: 'not_started' }];
}

function toItem(result: StepResult) {
  const { folder, id = null, name, outcome, step, findings, error } = result;
  return {
    folder: folder.displayPath,
    id,
    name,
    outcome,
    ...(step && toRemarks(step)),
    ...(overwrites(result) && { overwrites: true }),
    ...(step && step.fields.length > 0 && { changed: step.fields }),
    ...(findings && { findings }),
    ...(error && toErrorDocument(error)),
  };
}

/** One line for a completed step. */
export const formatStepResult = ({ folder, name, outcome }: StepResult): string =>
  escapeControls(`${outcome}  ${folder.displayPath}  ${name}`);

/** Notes about completed steps: replaced ids and preserved fields. */
export const formatResultNotes = (results: readonly StepResult[]): string[] =>
  results.flatMap(({ folder: { displayPath }, step, outcome, id }) => {
    const { missingId, adopted, preserved = [] } = step ?? {};
    const replacedBy = outcome === 'created' ? 'created a new one' : adopted ? 'matched by name' : undefined;
    return [
      ...(missingId !== undefined && replacedBy !== undefined
        ? [`${displayPath}: formula ${missingId} no longer exists; ${replacedBy}: ${id}`]
        : []),
      ...preserved.map((field) => `note: ${displayPath} has no ${field}; keeping the remote one`),
    ].map(escapeControls);
  });

/** The hint for steps that were not started; other steps have hints of their own. */
export function formatNextStep(results: readonly StepResult[]): string | undefined {
  if (results.every(({ outcome }) => outcome !== 'not_started')) return undefined;
  return results.some(({ error }) => error)
    ? 'next: fix the errors above and run the command again; completed formulas are skipped'
    : 'next: run the command again for the remaining formulas';
}

/** The summary line: the number of steps per outcome. */
export function formatPushSummary(results: readonly StepResult[]): string {
  const counts = countSteps(results);
  const moved = results.filter(({ step, outcome }) => outcome === 'unchanged' && step?.movedFrom).length;
  if (counts['unchanged'] === results.length)
    return moved > 0
      ? `${moved} moved, ${results.length - moved} up to date`
      : `nothing to do: ${results.length} up to date`;
  const isIdle = results.length > 0 && counts['not_started'] === results.length;
  if (isIdle) return `nothing done, ${results.length} not started`;
  const breaking = results.filter(({ step, error }) => step?.breaking && !error).length;
  const overwriting = results.filter(({ step, error }) => step?.overwrites && !error).length;
  return [
    ...(results.length > 0 ? [formatCounts(counts)] : []),
    ...(overwriting > 0 ? [`${overwriting} overwriting`] : []),
    ...(breaking > 0 ? [`${breaking} breaking`] : []),
  ].join(', ');
}

/** The rows of a step summary; unchanged formulas are omitted. */
export const toResultRows = (results: readonly StepResult[]): SummaryRow[] =>
  results
    .filter(({ outcome }) => outcome !== 'unchanged')
    .map(({ folder, name, step, outcome, error }) => ({
      status: outcome.replace('_', ' '),
      name: name ?? '',
      folder: folder.displayPath,
      detail:
        error?.message ??
        [
          ...(step?.fields ?? []),
          ...(step?.overwrites ? ['overwrites'] : []),
          ...(step?.breaking?.map(formatBreakingChange) ?? []),
        ].join(', '),
    }));

/** JUnit cases; of an invalid folder with all errors. */
export const toPushCases = (results: readonly StepResult[]): JunitCase[] =>
  results.map(({ folder: { displayPath }, name, step, outcome, findings = [], error, durationMs }) => {
    const errors = limitFindings(findings.filter(({ level }) => level === 'error'));
    return {
      name: name ?? displayPath,
      classname: displayPath,
      file: step?.action === 'delete' ? undefined : toDisplayPath(displayPath, 'manifest.json'),
      durationMs,
      isSkipped: outcome === 'not_started',
      failures: [...toFailures(errors), ...(error ? [{ type: error.outcome, message: error.message }] : [])],
      properties: step?.breaking?.map((change) => ({ name: 'breaking', value: formatBreakingChange(change) })),
      remarks: error || step === undefined || outcome === 'not_started' ? [] : [outcome],
    };
  });
