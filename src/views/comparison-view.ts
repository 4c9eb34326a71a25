/** The results of `formula test --compare`: document, table, JUnit cases, and lines of a report. */
import { toDisplayPath } from '../files/paths.ts';
import { escapeControls } from '../output/escape.ts';
import type { FieldSet } from '../output/fields.ts';
import type { View } from '../output/formats.ts';
import type { ComparisonReport } from '../report/comparison-report.ts';
import type { JunitCase } from '../report/junit.ts';
import type { ComparedInputs, FoundDifference } from '../run/compare/compare-formula.ts';
import type { Difference } from '../run/compare/compare-results.ts';
import { countOutcomes } from '../sync/outcome.ts';
import { listFirst, truncateText } from '../text/shorten.ts';
import { toDocument } from './list-view.ts';

export const COMPARISON_FIELDS: FieldSet = {
  known: ['folder', 'case', 'outcome', 'input', 'old', 'new', 'calls', 'error'],
};

export interface FormulaComparison {
  folder: string;
  /** Of its tests, then of the generated calls; none where the code is the same. */
  inputs?: readonly ComparedInputs[];
  /** Why it was not compared. */
  reason?: string;
  isInvalid?: boolean;
  durationMs?: number;
}

const OUTCOMES = ['same', 'differs', 'skipped'] as const;

interface Verdict {
  outcome: (typeof OUTCOMES)[number];
  /** The counts, or why there are none. */
  text: string;
  tests: number;
  generated: number;
  unanswered: number;
  /** The smallest difference, and the test whose input it is. */
  found?: FoundDifference & { name: string | undefined };
}

const sizeOf = ({ difference }: ComparedInputs) => JSON.stringify(difference?.input).length;

function judge({ inputs = [], reason }: FormulaComparison): Verdict {
  const sum = (key: 'total' | 'unanswered' | 'varying') => inputs.reduce((all, one) => all + one[key], 0);
  const generated = inputs.find(({ name }) => name === undefined)?.total ?? 0;
  const [tests, unanswered, varying] = [sum('total') - generated, sum('unanswered'), sum('varying')];
  const counts = { tests, generated, unanswered };
  if (reason !== undefined) return { outcome: 'skipped', text: reason, ...counts };
  if (inputs.length === 0) return { outcome: 'same', text: 'the code is the same', ...counts };
  const [smallest, ...others] = inputs.filter(({ difference }) => difference).sort((a, b) => sizeOf(a) - sizeOf(b));
  if (smallest?.difference) {
    const { name, difference } = smallest;
    const text = name === undefined ? `generated call ${generated}` : `test ${JSON.stringify(name)}`;
    const more = others.length > 0 ? ` and ${others.length} more` : '';
    return { outcome: 'differs', text: text + more, found: { ...difference, name }, ...counts };
  }
  const done = [...(tests > 0 ? [count(tests, 'test')] : []), count(generated, 'call')].join(' and ');
  const details = [
    ...(unanswered > 0 ? [`${unanswered} of which ended at a call without a double`] : []),
    ...(varying > 0 ? [`${varying} of which changed between runs`] : []),
  ].join(', ');
  const isSkipped = unanswered + varying === tests + generated;
  const text = [isSkipped ? `nothing was compared in ${done}` : `same in ${done}`, details].filter(Boolean).join(', ');
  return { outcome: isSkipped ? 'skipped' : 'same', text, ...counts };
}

const count = (total: number, noun: string) => `${total} ${noun}${total === 1 ? '' : 's'}`;

/** The result document; as a table, one line per formula, with the smallest difference. */
export function comparisonView(compared: readonly FormulaComparison[], seed: number): View {
  const verdicts = compared.map(judge);
  const items = compared.map(({ folder, inputs = [] }, i) => {
    const { outcome, text, found, tests, generated, unanswered } = verdicts[i] as Verdict;
    return {
      folder,
      case: found?.name ?? null,
      outcome,
      ...(found && { input: found.input, old: found.old, new: found.new }),
      ...(inputs.length > 0 && { calls: { tests, generated, unanswered, seed } }),
      ...(outcome === 'skipped' && { error: { message: text } }),
    };
  });
  return {
    value: toDocument(items, countVerdicts(verdicts)),
    table: async (target) => {
      const { createStyle } = await import('../output/style.ts');
      const style = createStyle(target);
      const colors = { same: style.good, differs: style.error, skipped: style.warning };
      const toText = ({ folder }: FormulaComparison, i: number) => {
        const { outcome, text, found } = verdicts[i] as Verdict;
        const title = `${colors[outcome](outcome)} ${escapeControls(`${folder}: ${text.replace(/^same in /, '')}`)}\n`;
        const lines = found ? formatDifference(found) : [];
        return title + lines.map((line) => `  ${escapeControls(line)}\n`).join('');
      };
      return compared.map(toText).join('');
    },
  };
}

const countVerdicts = (verdicts: readonly Verdict[]) => countOutcomes(verdicts, 'outcome', OUTCOMES);

/** The summary line: the number of formulas per outcome. */
export function formatComparisonSummary(compared: readonly FormulaComparison[]): string {
  if (compared.length === 0) return 'nothing to do';
  const { same, differs, skipped } = countVerdicts(compared.map(judge));
  return `${same} same, ${differs} ${differs === 1 ? 'differs' : 'differ'}${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

export function findWorstComparison(compared: readonly FormulaComparison[]): 'invalid' | 'differs' | undefined {
  if (compared.some(({ isInvalid }) => isInvalid)) return 'invalid';
  return compared.some((one) => judge(one).outcome === 'differs') ? 'differs' : undefined;
}

/** Whether calls were generated, which the seed repeats. */
export const hasGenerated = (compared: readonly FormulaComparison[]): boolean =>
  compared.some(({ inputs = [] }) => inputs.length > 0);

const MAX_SHOWN = 2000;
const MAX_VALUE = 80;

function formatDifference({ input, old, new: now, differences }: FoundDifference): string[] {
  const json = (value: unknown) => truncateText(JSON.stringify(value), MAX_SHOWN);
  const paths = listFirst(differences.map(({ path }) => path));
  return [`input:   ${json(input)}`, `old:     ${json(old)}`, `new:     ${json(now)}`, `differs: ${paths}`];
}

/** The first difference in a sentence. */
function formatFirst({ differences, input }: FoundDifference): string {
  const short = (value: unknown) => truncateText(JSON.stringify(value) ?? 'nothing', MAX_VALUE);
  const [{ path, old, new: now }] = differences as [Difference];
  const more = differences.length > 1 ? ` (and ${differences.length - 1} more)` : '';
  return `${path}: ${short(old)} → ${short(now)}${more} for ${truncateText(JSON.stringify(input), 2 * MAX_VALUE)}`;
}

export const toComparisonCase = (compared: FormulaComparison): JunitCase => {
  const { outcome, text, found } = judge(compared);
  return {
    name: 'behavior',
    classname: compared.folder,
    file: toDisplayPath(compared.folder, 'manifest.json'),
    durationMs: compared.durationMs ?? 0,
    isSkipped: outcome === 'skipped' && !compared.isInvalid,
    failures: compared.isInvalid
      ? [{ type: 'invalid', message: text }]
      : found
        ? [{ type: 'differs', message: [formatFirst(found), ...formatDifference(found)].join('\n') }]
        : [],
    remarks: [text],
  };
};

export const toComparisonReport = (
  compared: readonly FormulaComparison[],
  reference: string,
  seed: number,
): ComparisonReport => ({
  reference,
  summary: formatComparisonSummary(compared),
  seed: hasGenerated(compared) ? seed : undefined,
  lines: compared.map((one) => {
    const { outcome, text, found } = judge(one);
    return {
      folder: one.folder,
      outcome,
      text: found ? text : text.replace(/^same in /, 'in '),
      difference: found && formatFirst(found),
    };
  }),
});
