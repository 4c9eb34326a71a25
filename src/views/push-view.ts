/** The result of a push: document, table, report, and lines on stderr. */

import { limitFindings } from '../check/limit-findings.ts';
import { toErrorDocument } from '../errors.ts';
import { escapeControls } from '../output/escape.ts';
import type { View } from '../output/formats.ts';
import { type JunitCase, toFailures } from '../report/junit.ts';
import type { SummaryRow } from '../report/step-summary.ts';
import { countOutcomes, formatCounts, STEP_OUTCOMES } from '../sync/outcome.ts';
import { formatBreakingChange } from '../sync/push/breaking-changes.ts';
import type { StepResult } from '../sync/push/plan.ts';
import { outcomesView } from './outcomes-view.ts';
import { REMARK_FIELDS, toRemarks } from './plan-view.ts';

const OWN_FIELDS = ['changed', 'findings', 'error'];
export const PUSH_FIELDS: readonly string[] = ['folder', 'id', 'name', 'outcome', ...REMARK_FIELDS, ...OWN_FIELDS];

const countSteps = (results: readonly StepResult[]) => countOutcomes(results, 'outcome', STEP_OUTCOMES);

export const pushView = (results: readonly StepResult[]): View => outcomesView(results.map(toItem), STEP_OUTCOMES);

function toItem({ folder, id, name, outcome, step, findings, error }: StepResult) {
  return {
    folder: folder.displayPath,
    id: id ?? null,
    name,
    outcome,
    ...(step && toRemarks(step)),
    ...(step?.overwrites && outcome !== 'conflict' && { overwrites: true }),
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
      folder: displayPath,
      name,
      file: step?.action === 'delete' ? null : 'manifest.json',
      durationMs,
      isSkipped: outcome === 'not_started',
      failures: [...toFailures(errors), ...(error ? [{ type: error.outcome, message: error.message }] : [])],
      properties: step?.breaking?.map((change) => ({ name: 'breaking', value: formatBreakingChange(change) })),
      remarks: error || step === undefined || outcome === 'not_started' ? [] : [outcome],
    };
  });
