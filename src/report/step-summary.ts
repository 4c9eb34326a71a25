/** A plan, or what a push did, as a table for the summary of a GitHub Actions step: Markdown that foreign text cannot break. */
import { escapeInvisible } from '../output/escape.ts';

export interface SummaryRow {
  /** What is to be done, or how it ended. */
  what: string;
  name: string;
  folder: string;
  /** Fields that change, or why something failed. */
  detail: string;
}

/** GitHub refuses summaries above 1 MiB; a longer table is cut, and says so. */
const MAX_ROWS = 1000;
const MAX_BYTES = 500_000;
const MAX_CELL = 1000;

/** The Markdown of a summary: a title, a line that sums up, and a row for each. */
export function formatSummary(title: string, line: string, rows: readonly SummaryRow[]): string {
  const shown = formatRows(rows);
  const table = ['|  | formula | folder |  |', '| --- | --- | --- | --- |', ...shown];
  return [
    `### ${escapeCell(title)}`,
    '',
    escapeCell(line),
    ...(rows.length > 0 ? ['', ...table] : []),
    ...(rows.length > shown.length ? ['', `and ${rows.length - shown.length} more`] : []),
    '',
    '',
  ].join('\n');
}

function formatRows(rows: readonly SummaryRow[]): string[] {
  const shown: string[] = [];
  let bytes = 0;
  for (const { what, name, folder, detail } of rows.slice(0, MAX_ROWS)) {
    const row = `| ${[what, name, folder, detail].map(escapeCell).join(' | ')} |`;
    bytes += Buffer.byteLength(row);
    if (bytes > MAX_BYTES) break;
    shown.push(row);
  }
  return shown;
}

/** Text as text: nothing in it is taken for Markdown or HTML. */
const escapeCell = (text: string) =>
  escapeInvisible(text.length > MAX_CELL ? `${text.slice(0, MAX_CELL)}…` : text).replace(
    /[\\`*_{}[\]<>()#+!|~&@:]/g,
    (sign) => `&#${sign.codePointAt(0)};`,
  );
