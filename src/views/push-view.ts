/** What a push did, as an answer, a report and lines. */

import type { Tree, TreeFormula } from '../check/check-tree.ts';
import { limitFindings } from '../check/limit-findings.ts';
import { errorDocument } from '../errors.ts';
import { displayPath } from '../files/paths.ts';
import type { Host } from '../host/host.ts';
import { visible } from '../output/escape.ts';
import type { Answer } from '../output/formats.ts';
import { annotateFile } from '../report/github.ts';
import type { JunitCase } from '../report/junit.ts';
import type { SummaryRow } from '../report/step-summary.ts';
import { countOutcomes, STEP_OUTCOMES } from '../sync/outcome.ts';
import type { StepOutcome, StepResult } from '../sync/push/apply.ts';
import { tableAnswer } from './list-view.ts';
import { folderOf, nameOf } from './plan-view.ts';
import { signColumn } from './status-icons.ts';

const OUTCOMES = [...STEP_OUTCOMES, 'invalid'] as const;

const COLUMNS = [
  signColumn('OUTCOME', ({ outcome }: Row) => outcome),
  { title: 'FOLDER', cell: ({ folder }: Row) => folder ?? '' },
  { title: 'ID', cell: ({ id }: Row) => id ?? '', isWhole: true },
  { title: 'NAME', cell: ({ name }: Row) => name ?? '' },
];

interface Row {
  folder: string | null;
  id: string | null;
  name: string | null;
  outcome: (typeof OUTCOMES)[number];
}

/** The result document of a push; on a terminal a table of what is not as it was before. */
export const pushAnswer = (results: readonly StepResult[], host: Host): Answer =>
  rowsAnswer(results.map((result) => itemOf(result, host)));

/** The result document of a push that was not begun, since folders are wrong. */
export const refusedAnswer = (tree: Tree, clashes: ReadonlyMap<string, string>): Answer =>
  rowsAnswer(
    tree.formulas.map((formula) => {
      const clash = clashes.get(formula.folder);
      const { folder, name, findings, local } = formula;
      const outcome = local && clash === undefined ? 'not_started' : 'invalid';
      const error = clash === undefined ? {} : { error: { code: 'invalid', exit_code: 3, message: clash } };
      return { folder, id: null, name, outcome, ...(local ? {} : { findings }), ...error } as const;
    }),
  );

function rowsAnswer(items: readonly Row[]): Answer {
  const summary = {
    total: items.length,
    ...countOutcomes(
      items.map(({ outcome }) => outcome),
      OUTCOMES,
    ),
  };
  return {
    value: { schema_version: 1, items, summary },
    table: (paper) => {
      const shown = paper.isTerminal ? items.filter(({ outcome }) => outcome !== 'unchanged') : items;
      return shown.length === 0 ? '' : tableAnswer(shown, COLUMNS).table(paper);
    },
  };
}

function itemOf({ step, outcome, id, error }: StepResult, host: Host) {
  const { fields, adopted, renamedFrom, remote } = step;
  return {
    folder: folderOf(step, host),
    id: id ?? remote?.id ?? null,
    name: nameOf(step),
    outcome,
    ...(adopted && { adopted }),
    ...(renamedFrom !== undefined && { renamed_from: renamedFrom }),
    ...(fields.length > 0 && { changed: fields }),
    ...(error && errorDocument(error)),
  };
}

/** A step that ended, as one line. */
export function lineOf({ step, outcome }: StepResult, host: Host): string {
  return visible(`${outcome}  ${folderOf(step, host) ?? ''}  ${nameOf(step)}`);
}

/** What a user should know of steps beyond their outcome. */
export function remarkLines(results: readonly StepResult[], host: Host): string[] {
  return results.flatMap(({ step, outcome, id }) => {
    const folder = folderOf(step, host) ?? '';
    return [
      ...(step.goneId !== undefined && outcome === 'created'
        ? [`${folder}: ${step.goneId} of the lock is not there any more; it was created anew as ${id}`]
        : []),
      ...(step.goneId !== undefined && step.adopted
        ? [`${folder}: ${step.goneId} of the lock is not there any more; ${step.remote?.id} of the same name was taken`]
        : []),
      ...(step.kept?.map((field) => `note: ${folder} has no ${field}; the one on the service is kept`) ?? []),
    ].map(visible);
  });
}

/** The errors of steps; a hint that several have is printed once, after the last of them. */
export function errorLines(results: readonly StepResult[]): string[] {
  const errors = results.flatMap(({ error }) => error ?? []);
  const last = new Map(errors.map((error) => [error.hint, error]));
  return errors.flatMap((error) => [
    `error: ${visible(error.message)}`,
    ...(error.hint && last.get(error.hint) === error ? [`hint: ${visible(error.hint)}`] : []),
  ]);
}

/** What to do about the remaining steps; after conflicts alone the same command would only find them again. */
export function nextLine(results: readonly StepResult[]): string | undefined {
  const isAny = (...outcomes: readonly StepOutcome[]) => results.some(({ outcome }) => outcomes.includes(outcome));
  if (isAny('failed', 'unknown') || (isAny('conflict') && isAny('not_started'))) {
    return 'next: fix the errors above and run the command again; completed formulas are skipped';
  }
  return isAny('not_started') ? 'next: run the command again for the remaining formulas' : undefined;
}

/** How many ended in which way, or that nothing was to be done. */
export function summaryLine(results: readonly StepResult[]): string {
  const counts = countOutcomes(
    results.map(({ outcome }) => outcome),
    STEP_OUTCOMES,
  );
  if (counts['unchanged'] === results.length) return `nothing to do: ${results.length} up to date`;
  const isIdle = results.length > 0 && counts['not_started'] === results.length;
  if (isIdle) return `nothing done, ${results.length} not started`;
  return STEP_OUTCOMES.filter((outcome) => (counts[outcome] ?? 0) > 0)
    .map((outcome) => `${counts[outcome]} ${outcome.replace('_', ' ')}`)
    .join(', ');
}

/** The steps that did something or failed, as rows of a summary. */
export const resultRows = (results: readonly StepResult[], host: Host): SummaryRow[] =>
  results
    .filter(({ outcome }) => outcome !== 'unchanged')
    .map(({ step, outcome, error }) => ({
      what: outcome.replace('_', ' '),
      name: nameOf(step),
      folder: folderOf(step, host) ?? '',
      detail: error?.message ?? step.fields.join(', '),
    }));

/** In GitHub Actions, marks what failed at its manifest, on stderr. */
export function annotateFailures(results: readonly StepResult[], host: Host): void {
  for (const { step, outcome, error } of results) {
    if (!error) continue;
    const finding = {
      file: 'manifest.json',
      line: 1,
      column: 1,
      level: 'error',
      rule: outcome,
      message: error.message,
    } as const;
    annotateFile(host, displayPath(folderOf(step, host) ?? '', finding.file), finding);
  }
}

/** Folders that could not be sent, as cases of a report. */
export const refusedCases = (tree: Tree, clashes: ReadonlyMap<string, string>): JunitCase[] =>
  tree.formulas.map((formula) => refusedCase(formula, clashes.get(formula.folder)));

function refusedCase({ folder, name, findings, durationMs }: TreeFormula, clash: string | undefined): JunitCase {
  const errors = limitFindings(findings.filter(({ level }) => level === 'error'));
  const texts = errors.map(({ rule, file, line, column, message }) => ({
    type: rule,
    message: `${file}:${line}:${column} ${message}`,
  }));
  return {
    name: name ?? folder,
    classname: folder,
    file: displayPath(folder, 'manifest.json'),
    durationMs,
    isSkipped: errors.length === 0 && clash === undefined,
    failures: [...texts, ...(clash === undefined ? [] : [{ type: 'invalid', message: clash }])],
    remarks: [],
  };
}

/** The steps of a push as cases of a report. */
export const pushCases = (results: readonly StepResult[], host: Host): JunitCase[] =>
  results.map(({ step, outcome, error, durationMs }) => ({
    name: nameOf(step),
    classname: folderOf(step, host) ?? '',
    file: step.local && displayPath(folderOf(step, host) ?? '', 'manifest.json'),
    durationMs,
    isSkipped: outcome === 'not_started',
    failures: error ? [{ type: error.outcome, message: error.message }] : [],
    remarks: error || outcome === 'not_started' ? [] : [outcome],
  }));
