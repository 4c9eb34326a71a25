/** What a pull did, as an answer, a line, and the outcome of the whole. */
import { errorDocument, type Outcome } from '../errors.ts';
import type { Answer } from '../output/formats.ts';
import { failureOutcome } from '../sync/outcome.ts';
import type { PullResult } from '../sync/pull/write-formula.ts';
import { tableAnswer } from './list-view.ts';
import { signColumn } from './status-icons.ts';

const OUTCOMES = ['written', 'unchanged', 'kept', 'failed'] as const;

const COLUMNS = [
  signColumn('OUTCOME', ({ outcome }: PullResult) => outcome),
  { title: 'FOLDER', cell: ({ folder }: PullResult) => folder },
  { title: 'ID', cell: ({ formula }: PullResult) => formula.id, isWhole: true },
  { title: 'NAME', cell: ({ formula }: PullResult) => formula.name },
];

/** The result document; on a terminal a table of what is not as it was before. */
export function pullAnswer(results: readonly PullResult[]): Answer {
  const items = results.map(({ folder, formula: { id, name }, outcome, error }) => ({
    folder,
    id,
    name,
    outcome,
    ...(error && errorDocument(error)),
  }));
  return {
    value: { schema_version: 1, items, summary: { total: items.length, ...countsOf(results) } },
    table: (paper) => {
      const shown = paper.isTerminal ? results.filter(({ outcome }) => outcome !== 'unchanged') : results;
      return shown.length === 0 ? '' : tableAnswer(shown, COLUMNS).table(paper);
    },
  };
}

/** How many ended in which way. */
export function summaryLine(results: readonly PullResult[]): string {
  const counts = countsOf(results);
  if (counts['unchanged'] === results.length) return `nothing to do: ${results.length} up to date`;
  return OUTCOMES.filter((outcome) => (counts[outcome] ?? 0) > 0)
    .map((outcome) => `${counts[outcome]} ${outcome}`)
    .join(', ');
}

/** Failures beat what was kept; their one reason counts where nothing was written, else the outcomes are mixed. */
export function pullOutcome(results: readonly PullResult[]): Outcome {
  const failures = results.filter(({ outcome }) => outcome === 'failed');
  if (failures.length > 0) {
    return failureOutcome(
      failures.map(({ error }) => error?.outcome ?? 'failed'),
      { hasOthers: results.some(({ outcome }) => outcome === 'written') },
    );
  }
  return results.some(({ outcome }) => outcome === 'kept') ? 'differs' : 'ok';
}

const countsOf = (results: readonly PullResult[]): Record<string, number> =>
  Object.fromEntries(OUTCOMES.map((name) => [name, results.filter(({ outcome }) => outcome === name).length]));
