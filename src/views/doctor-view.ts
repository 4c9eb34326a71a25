/** The results of `doctor`: table, JSON, and summary. */
import type { Outcome } from '../errors.ts';
import { escapeControls } from '../output/escape.ts';
import type { OutputTarget, View } from '../output/formats.ts';
import { type Column, formatTsv } from '../output/tsv.ts';
import { wrapLine } from '../output/wrap-message.ts';
import { countOutcomes, formatCounts } from '../sync/outcome.ts';
import { toDocument } from './list-view.ts';

const STATUSES = ['ok', 'warning', 'failed', 'unknown'] as const;

export interface CheckResult {
  status: (typeof STATUSES)[number];
  found: string;
  /** How to fix it. */
  advice?: string | undefined;
  /** For a failure: the outcome of a command that runs into it. */
  code?: Exclude<Outcome, 'ok'>;
}

export interface NamedCheckResult extends CheckResult {
  check: string;
}

export const DOCTOR_FIELDS: readonly string[] = ['check', 'status', 'found', 'advice', 'code'];

const COLUMNS: readonly Column<NamedCheckResult>[] = [
  { title: 'CHECK', cell: ({ check }) => check },
  { title: 'STATUS', cell: ({ status }) => status },
  { title: 'FOUND', cell: ({ found }) => found },
  { title: 'ADVICE', cell: ({ advice = '' }) => advice.replaceAll('\n', ' ') },
];

/** The result document; on a terminal, a wrapped table with the advice under each check. */
export function doctorView(items: readonly NamedCheckResult[]): View {
  return {
    value: toDocument(items, countStatuses(items)),
    table: (target) => (target.isTerminal ? formatForTerminal(items, target) : formatTsv(items, COLUMNS)),
  };
}

/** The summary line: the number of checks per status. */
export function formatDoctorSummary(items: readonly NamedCheckResult[]): string {
  return formatCounts(countStatuses(items));
}

const countStatuses = (items: readonly NamedCheckResult[]) => countOutcomes(items, 'status', STATUSES);

/** A command stays unbroken, so that it can be copied. */
const wrapAdvice = (line: string, columns: number) => wrapLine(`→ ${escapeControls(line)}`, columns).split('\n');

const STATUS_WIDTH = 9;
const CHECK_WIDTH = 14;
/** On narrower terminals, the details are on the lines after the name of the check. */
const NARROW_COLUMNS = 60;

async function formatForTerminal(items: readonly NamedCheckResult[], target: OutputTarget): Promise<string> {
  const { createStyle } = await import('../output/style.ts');
  const { wrap } = await import('../output/wrap.ts');
  const style = createStyle(target);
  const colorize = { ok: style.good, warning: style.warning, failed: style.error, unknown: style.faint };
  const isNarrow = target.columns < NARROW_COLUMNS;
  const indent = isNarrow ? 2 : STATUS_WIDTH + CHECK_WIDTH;
  const lines = items.flatMap(({ status, check, found, advice }) => {
    const head = `${check.padEnd(CHECK_WIDTH)}${colorize[status](status)}${isNarrow ? '' : ' '.repeat(STATUS_WIDTH - status.length)}`;
    const text = (foreign: string) => wrap(target.redact(escapeControls(foreign)), target.columns - indent);
    const advices = advice?.split('\n').flatMap((line) => wrapAdvice(target.redact(line), target.columns - indent));
    const [first = '', ...rest] = [...text(found), ...(advices ?? [])];
    const below = (isNarrow ? [first, ...rest] : rest).map((line) => `${' '.repeat(indent)}${line}`);
    return [isNarrow ? head : `${head}${first}`, ...below];
  });
  return `${lines.join('\n')}\n`;
}
