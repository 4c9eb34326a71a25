/** The results of `doctor`: table, JSON, and summary. */
import type { Outcome } from '../errors.ts';
import { escapeControls } from '../output/escape.ts';
import type { OutputTarget, View } from '../output/formats.ts';
import { type Column, formatTsv } from '../output/tsv.ts';
import { wrapMessage } from '../output/wrap-message.ts';
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

const STATUS_WIDTH = 9;

/** The result document; on a terminal, wrapped, with the advice under each check. */
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

async function formatForTerminal(items: readonly NamedCheckResult[], target: OutputTarget): Promise<string> {
  const { createStyle } = await import('../output/style.ts');
  const style = createStyle(target);
  const colorize = { ok: style.good, warning: style.warning, failed: style.error, unknown: style.faint };
  const format = (text: string) => wrapMessage(target.redact(escapeControls(text)), target);
  const lines = items.flatMap(({ status, check, found, advice }) => {
    // Colored after wrapping, which counts characters.
    const wrapped = format(`${status.padEnd(STATUS_WIDTH)}${check}: ${found}`);
    const adviceLines = advice ? advice.split('\n').map((line) => format(`  → ${line}`)) : [];
    return [colorize[status](status) + wrapped.slice(status.length), ...adviceLines];
  });
  return `${lines.join('\n')}\n`;
}
