/** A plan, or what a push did, as a table for the summary of a GitHub Actions step: Markdown that foreign text cannot break. */
import { visible } from '../output/escape.ts';

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

/** The Markdown of a summary: a title, a line that sums up, and a row for each. */
export function summaryMarkdown(title: string, line: string, rows: readonly SummaryRow[]): string {
  const shown = rows.slice(0, MAX_ROWS).map(({ what, name, folder, detail }) => [what, name, folder, detail]);
  const table = [['', 'formula', 'folder', ''], ['---', '---', '---', '---'], ...shown.map((row) => row.map(cell))];
  return [
    `### ${cell(title)}`,
    '',
    cell(line),
    ...(rows.length > 0 ? ['', ...table.map((row) => `| ${row.join(' | ')} |`)] : []),
    ...(rows.length > MAX_ROWS ? ['', `and ${rows.length - MAX_ROWS} more`] : []),
    '',
    '',
  ].join('\n');
}

/** Text as text: nothing in it is taken for Markdown or HTML. */
const cell = (text: string) =>
  visible(text).replace(/[\\`*_{}[\]<>()#+!|~&@:]/g, (sign) => `&#${sign.codePointAt(0)};`);
