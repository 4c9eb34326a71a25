/** What `doctor` found, as an answer and a line. */

import { type Item, STATUSES } from '../doctor/check.ts';
import { visible } from '../output/escape.ts';
import type { Answer, Paper } from '../output/formats.ts';
import { tabSeparated } from '../output/tsv.ts';

const COLUMNS = [
  { title: 'CHECK', cell: ({ check }: Item) => check },
  { title: 'STATUS', cell: ({ status }: Item) => status },
  { title: 'FOUND', cell: ({ found }: Item) => found },
  { title: 'WHAT TO DO', cell: ({ advice = '' }: Item) => advice },
];

/** The result document; for people a table whose texts are broken to the width, with what to do below what was found. */
export function doctorAnswer(items: readonly Item[]): Answer {
  return {
    value: { schema_version: 1, items, summary: { total: items.length, ...countsOf(items) } },
    table: (paper) => (paper.isTerminal ? terminalText(items, paper) : tabSeparated(items, COLUMNS)),
  };
}

/** How many checks ended in which way. */
export function summaryLine(items: readonly Item[]): string {
  const counts = countsOf(items);
  return STATUSES.filter((status) => counts[status] > 0)
    .map((status) => `${counts[status]} ${status}`)
    .join(', ');
}

function countsOf(items: readonly Item[]) {
  const count = (wanted: Item['status']) => items.filter(({ status }) => status === wanted).length;
  return { ok: count('ok'), warning: count('warning'), failed: count('failed'), unknown: count('unknown') };
}

const STATUS_WIDTH = 9;
const CHECK_WIDTH = 14;
/** Below this the texts stand under the name of the check. */
const NARROW = 60;

async function terminalText(items: readonly Item[], paper: Paper): Promise<string> {
  const { styleOf } = await import('../output/style.ts');
  const { wrapped } = await import('../output/wrap.ts');
  const style = styleOf(paper);
  const paint = { ok: style.good, warning: style.warning, failed: style.error, unknown: style.faint };
  const isNarrow = paper.columns < NARROW;
  const indent = isNarrow ? 2 : STATUS_WIDTH + CHECK_WIDTH;
  const lines = items.flatMap(({ status, check, found, advice }) => {
    const head = `${check.padEnd(CHECK_WIDTH)}${paint[status](status)}${isNarrow ? '' : ' '.repeat(STATUS_WIDTH - status.length)}`;
    const text = (words: string) => wrapped(paper.hide(visible(words)), paper.columns - indent);
    const [first = '', ...rest] = [...text(found), ...(advice === undefined ? [] : text(`→ ${advice}`))];
    const below = (isNarrow ? [first, ...rest] : rest).map((line) => `${' '.repeat(indent)}${line}`);
    return [isNarrow ? head : `${head}${first}`, ...below];
  });
  return `${lines.join('\n')}\n`;
}
