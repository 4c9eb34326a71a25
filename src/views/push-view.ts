/** The result of a push: document, table, report, and lines on stderr. */
import type { FormulaTree, TreeFormula } from '../check/check-tree.ts';
import { limitFindings } from '../check/limit-findings.ts';
import { toErrorDocument } from '../errors.ts';
import { toDisplayPath } from '../files/paths.ts';
import type { Host } from '../host/host.ts';
import { escapeControls } from '../output/escape.ts';
import type { FieldSet } from '../output/fields.ts';
import type { View } from '../output/formats.ts';
import type { JunitCase } from '../report/junit.ts';
import type { SummaryRow } from '../report/step-summary.ts';
import { countOutcomes, STEP_OUTCOMES, type StepOutcome } from '../sync/outcome.ts';
import type { StepResult } from '../sync/push/apply.ts';
import { tableView } from './list-view.ts';
import { getStepFolder, getStepName } from './plan-view.ts';
import { statusColumn } from './status-icons.ts';

export const PUSH_FIELDS: FieldSet = {
  known: [
    'folder',
    'id',
    'name',
    'outcome',
    'adopted',
    'renamed_from',
    'moved_from',
    'overwrites',
    'changed',
    'findings',
    'error',
  ],
};

const COLUMNS = [
  statusColumn('OUTCOME', ({ outcome }: PushRow) => outcome),
  { title: 'FOLDER', cell: ({ folder }: PushRow) => folder ?? '' },
  { title: 'ID', cell: ({ id }: PushRow) => id ?? '', isUntruncated: true },
  { title: 'NAME', cell: ({ name }: PushRow) => name ?? '' },
];

/** Only where a row has it. */
const OVERWRITES_COLUMN = { title: 'NOTE', cell: ({ overwrites }: PushRow) => (overwrites ? 'overwrites' : '') };

interface PushRow {
  folder: string | null;
  id: string | null;
  name: string | null;
  outcome: StepOutcome;
  overwrites?: boolean | undefined;
}

/** The result document; on a terminal, a table without unchanged formulas. */
export const pushView = (results: readonly StepResult[], host: Host): View =>
  rowsView(results.map((result) => toItem(result, host)));

/** The result document of a push that was not started because of invalid or duplicate folders. */
export const invalidFoldersView = (tree: FormulaTree, duplicates: ReadonlyMap<string, string>): View =>
  rowsView(
    tree.formulas.map((formula) => {
      const duplicate = duplicates.get(formula.folder);
      const { folder, name, findings, local } = formula;
      const outcome = local && duplicate === undefined ? 'not_started' : 'invalid';
      const error = duplicate === undefined ? {} : { error: { code: 'invalid', exit_code: 3, message: duplicate } };
      return { folder, id: null, name, outcome, ...(local ? {} : { findings }), ...error } as const;
    }),
  );

function rowsView(items: readonly PushRow[]): View {
  const summary = {
    total: items.length,
    ...countOutcomes(items, STEP_OUTCOMES),
  };
  return {
    value: { schema_version: 1, items, summary },
    table: (target) => {
      const rows = target.isTerminal ? items.filter(({ outcome }) => outcome !== 'unchanged') : items;
      const columns = rows.some(({ overwrites }) => overwrites) ? [...COLUMNS, OVERWRITES_COLUMN] : COLUMNS;
      return rows.length === 0 ? '' : tableView(rows, columns).table(target);
    },
  };
}

function toItem({ step, outcome, id, error }: StepResult, host: Host) {
  const { fields, adopted, renamedFrom, movedFrom, remote, overwrites } = step;
  return {
    folder: getStepFolder(step, host),
    id: id ?? remote?.id ?? null,
    name: getStepName(step),
    outcome,
    ...(adopted && { adopted }),
    ...(renamedFrom !== undefined && { renamed_from: renamedFrom }),
    ...(movedFrom && { moved_from: movedFrom.displayPath }),
    ...(overwrites && outcome !== 'conflict' && { overwrites }),
    ...(fields.length > 0 && { changed: fields }),
    ...(error && toErrorDocument(error)),
  };
}

/** One line for a completed step. */
export function formatStepResult({ step, outcome }: StepResult, host: Host): string {
  return escapeControls(`${outcome}  ${getStepFolder(step, host) ?? ''}  ${getStepName(step)}`);
}

/** Notes about completed steps: replaced ids and preserved fields. */
export function formatRemarks(results: readonly StepResult[], host: Host): string[] {
  return results.flatMap(({ step, outcome, id }) => {
    const folder = getStepFolder(step, host) ?? '';
    return [
      ...(step.missingId !== undefined && outcome === 'created'
        ? [`${folder}: formula ${step.missingId} no longer exists; created a new one: ${id}`]
        : []),
      ...(step.missingId !== undefined && step.adopted
        ? [`${folder}: formula ${step.missingId} no longer exists; matched by name: ${step.remote?.id}`]
        : []),
      ...(step.preserved?.map((field) => `note: ${folder} has no ${field}; keeping the remote one`) ?? []),
    ].map(escapeControls);
  });
}

/** The hint for steps that were not started; other steps have hints of their own. */
export function formatNextStep(results: readonly StepResult[]): string | undefined {
  if (results.every(({ outcome }) => outcome !== 'not_started')) return undefined;
  return results.some(({ error }) => error)
    ? 'next: fix the errors above and run the command again; completed formulas are skipped'
    : 'next: run the command again for the remaining formulas';
}

/** The summary line: the number of steps per outcome. */
export function formatPushSummary(results: readonly StepResult[]): string {
  const counts = countOutcomes(results, STEP_OUTCOMES);
  if (counts['unchanged'] === results.length) return `nothing to do: ${results.length} up to date`;
  const isIdle = results.length > 0 && counts['not_started'] === results.length;
  if (isIdle) return `nothing done, ${results.length} not started`;
  const overwrites = results.filter(({ step, error }) => step.overwrites && !error).length;
  return [
    ...STEP_OUTCOMES.filter((outcome) => (counts[outcome] ?? 0) > 0).map(
      (outcome) => `${counts[outcome]} ${outcome.replace('_', ' ')}`,
    ),
    ...(overwrites > 0 ? [`${overwrites} overwriting`] : []),
  ].join(', ');
}

/** The rows of a step summary; unchanged formulas are omitted. */
export const toResultRows = (results: readonly StepResult[], host: Host): SummaryRow[] =>
  results
    .filter(({ outcome }) => outcome !== 'unchanged')
    .map(({ step, outcome, error }) => ({
      status: outcome.replace('_', ' '),
      name: getStepName(step),
      folder: getStepFolder(step, host) ?? '',
      detail: error?.message ?? [...step.fields, ...(step.overwrites ? ['overwrites'] : [])].join(', '),
    }));

/** JUnit cases of a push that was not started. */
export const toInvalidFolderCases = (tree: FormulaTree, duplicates: ReadonlyMap<string, string>): JunitCase[] =>
  tree.formulas.map((formula) => toInvalidFolderCase(formula, duplicates.get(formula.folder)));

function toInvalidFolderCase(
  { folder, name, findings, durationMs }: TreeFormula,
  duplicate: string | undefined,
): JunitCase {
  const errors = limitFindings(findings.filter(({ level }) => level === 'error'));
  const texts = errors.map(({ rule, file, line, column, message }) => ({
    type: rule,
    message: `${file}:${line}:${column} ${message}`,
  }));
  return {
    name: name ?? folder,
    classname: folder,
    file: toDisplayPath(folder, 'manifest.json'),
    durationMs,
    isSkipped: errors.length === 0 && duplicate === undefined,
    failures: [...texts, ...(duplicate === undefined ? [] : [{ type: 'invalid', message: duplicate }])],
    remarks: [],
  };
}

/** JUnit cases of the steps. */
export const toPushCases = (results: readonly StepResult[], host: Host): JunitCase[] =>
  results.map(({ step, outcome, error, durationMs }) => ({
    name: getStepName(step),
    classname: getStepFolder(step, host) ?? '',
    file: step.local && toDisplayPath(getStepFolder(step, host) ?? '', 'manifest.json'),
    durationMs,
    isSkipped: outcome === 'not_started',
    failures: error ? [{ type: error.outcome, message: error.message }] : [],
    remarks: error || outcome === 'not_started' ? [] : [outcome],
  }));
