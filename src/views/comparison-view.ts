import { escapeControls } from '../output/escape.ts';
import type { View } from '../output/formats.ts';
import type { JunitCase } from '../report/junit.ts';
import type { Comparison, FoundDifference } from '../run/compare/compare-formula.ts';
import type { Difference } from '../run/compare/compare-results.ts';
import { countOutcomes } from '../sync/outcome.ts';
import { listFirst, truncateText } from '../text/shorten.ts';
import { toDocument } from './list-view.ts';

export const COMPARISON_FIELDS = 'folder case outcome input old new calls error'.split(' ');

const OUTCOMES = ['same', 'differs', 'skipped'] as const;

export interface FormulaComparison {
  folder: string;
  outcome: (typeof OUTCOMES)[number];
  /** What was compared, the test or call that differs, or why nothing was compared. */
  text: string;
  isInvalid?: boolean;
  /** Missing if no code was run. */
  counts?: Comparison;
  /** The smallest difference, also in a sentence. */
  found?: FoundDifference;
  difference?: string;
  durationMs?: number;
}

/** The result of a formula whose code was run. */
export function toFormulaComparison(folder: string, counts: Comparison): FormulaComparison {
  const { tests, generated, unanswered, varying } = counts;
  const sizeOf = ({ input }: FoundDifference) => JSON.stringify(input).length;
  const [found, ...others] = counts.found.toSorted((a, b) => sizeOf(a) - sizeOf(b));
  if (found) {
    const text = found.test === null ? `generated call ${generated}` : `test ${JSON.stringify(found.test)}`;
    const more = others.length > 0 ? ` and ${others.length} more` : '';
    return { folder, counts, outcome: 'differs', text: text + more, found, difference: formatFirst(found) };
  }
  const outcome = unanswered + varying === tests + generated ? 'skipped' : 'same';
  const calls = `${tests > 0 ? `${count(tests, 'test')} and ` : ''}${count(generated, 'call')}`;
  const text = [
    `${outcome === 'same' ? 'same' : 'nothing was compared'} in ${calls}`,
    ...(unanswered > 0 ? [`${unanswered} of which ended at a call without a double`] : []),
    ...(varying > 0 ? [`${varying} of which changed between runs`] : []),
  ].join(', ');
  return { folder, counts, outcome, text };
}

const count = (total: number, noun: string) => `${total} ${noun}${total === 1 ? '' : 's'}`;

/** The result document; as a table, one line per formula, with the smallest difference. */
export function comparisonView(compared: readonly FormulaComparison[], seed: number): View {
  const items = compared.map(({ folder, outcome, text, counts, found }) => ({
    folder,
    case: found?.test ?? null,
    outcome,
    ...(found && { input: found.input, old: found.old, new: found.new }),
    ...(counts && {
      calls: { tests: counts.tests, generated: counts.generated, unanswered: counts.unanswered, seed },
    }),
    ...(outcome === 'skipped' && { error: { message: text } }),
  }));
  return {
    value: toDocument(items, countOutcomes(compared, 'outcome', OUTCOMES)),
    table: async (target) => {
      const { createStyle } = await import('../output/style.ts');
      const style = createStyle(target);
      const colors = { same: style.good, differs: style.error, skipped: style.warning };
      const texts = compared.map(({ folder, outcome, text, found }) => {
        const title = `${colors[outcome](outcome)} ${escapeControls(`${folder}: ${text.replace(/^same in /, '')}`)}\n`;
        const lines = found ? formatDifference(found) : [];
        return title + lines.map((line) => `  ${escapeControls(line)}\n`).join('');
      });
      return texts.join('');
    },
  };
}

/** The summary line: the number of formulas per outcome. */
export function formatComparisonSummary(compared: readonly FormulaComparison[]): string {
  if (compared.length === 0) return 'nothing to do';
  const { same, differs, skipped } = countOutcomes(compared, 'outcome', OUTCOMES);
  return `${same} same, ${differs} ${differs === 1 ? 'differs' : 'differ'}${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

export function findWorstComparison(compared: readonly FormulaComparison[]): 'invalid' | 'differs' | undefined {
  if (compared.some(({ isInvalid }) => isInvalid)) return 'invalid';
  return compared.some(({ outcome }) => outcome === 'differs') ? 'differs' : undefined;
}

const MAX_SHOWN = 2000;
const MAX_VALUE = 80;

function formatDifference({ input, old, new: now, differences }: FoundDifference): string[] {
  const json = (value: unknown) => truncateText(JSON.stringify(value), MAX_SHOWN);
  const paths = listFirst(differences.map(({ path }) => path));
  return [`input:   ${json(input)}`, `old:     ${json(old)}`, `new:     ${json(now)}`, `differs: ${paths}`];
}

/** The first part that differs, in a sentence. */
function formatFirst({ differences, input }: FoundDifference): string {
  const short = (value: unknown) => truncateText(JSON.stringify(value) ?? 'nothing', MAX_VALUE);
  const [{ path, old, new: now }] = differences as [Difference];
  const more = differences.length > 1 ? ` (and ${differences.length - 1} more)` : '';
  return `${path}: ${short(old)} → ${short(now)}${more} for ${truncateText(JSON.stringify(input), 2 * MAX_VALUE)}`;
}

export function toComparisonCase(compared: FormulaComparison): JunitCase {
  const { folder, outcome, text, isInvalid = false, found, difference, durationMs } = compared;
  const details = found && [difference, ...formatDifference(found)].join('\n');
  return {
    folder,
    name: 'behavior',
    durationMs,
    isSkipped: outcome === 'skipped' && !isInvalid,
    failures: [
      ...(isInvalid ? [{ type: 'invalid', message: text }] : []),
      ...(details ? [{ type: 'differs', message: details }] : []),
    ],
    remarks: [text],
  };
}
