/** What `doctor` found, as an answer and a line. */

import { type NamedCheckResult, STATUSES } from '../doctor/check.ts';
import { escapeControls } from '../output/escape.ts';
import type { OutputTarget, View } from '../output/formats.ts';
import { formatTsv } from '../output/tsv.ts';

const COLUMNS = [
  { title: 'CHECK', cell: ({ check }: NamedCheckResult) => check },
  { title: 'STATUS', cell: ({ status }: NamedCheckResult) => status },
  { title: 'FOUND', cell: ({ found }: NamedCheckResult) => found },
  { title: 'WHAT TO DO', cell: ({ advice = '' }: NamedCheckResult) => advice },
];

/** The result document; for people a table whose texts are broken to the width, with what to do below what was found. */
export function doctorView(items: readonly NamedCheckResult[]): View {
  return {
    value: { schema_version: 1, items, summary: { total: items.length, ...countStatuses(items) } },
    table: (target) => (target.isTerminal ? formatForTerminal(items, target) : formatTsv(items, COLUMNS)),
  };
}

/** How many checks ended in which way. */
export function formatDoctorSummary(items: readonly NamedCheckResult[]): string {
  const counts = countStatuses(items);
  return STATUSES.filter((status) => counts[status] > 0)
    .map((status) => `${counts[status]} ${status}`)
    .join(', ');
}

function countStatuses(items: readonly NamedCheckResult[]) {
  const count = (wanted: NamedCheckResult['status']) => items.filter(({ status }) => status === wanted).length;
  return { ok: count('ok'), warning: count('warning'), failed: count('failed'), unknown: count('unknown') };
}

const STATUS_WIDTH = 9;
const CHECK_WIDTH = 14;
/** Below this the texts stand under the name of the check. */
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
    const text = (words: string) => wrap(target.redact(escapeControls(words)), target.columns - indent);
    const [first = '', ...rest] = [...text(found), ...(advice === undefined ? [] : text(`→ ${advice}`))];
    const below = (isNarrow ? [first, ...rest] : rest).map((line) => `${' '.repeat(indent)}${line}`);
    return [isNarrow ? head : `${head}${first}`, ...below];
  });
  return `${lines.join('\n')}\n`;
}
