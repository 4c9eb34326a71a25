/** Formats plans and push results as Markdown for GitHub Actions step summaries; all text is escaped. */
import { appendFileSync } from 'node:fs';
import type { Host } from '../host/host.ts';
import { escapeInvisible } from '../output/escape.ts';
import { truncateText } from '../text/shorten.ts';
import { redactTexts } from './redact-texts.ts';

export interface SummaryRow {
  /** The action or the outcome. */
  status: string;
  name: string;
  folder: string;
  /** The changed fields, or the error. */
  detail: string;
}

/** GitHub rejects summaries above 1 MiB, so longer tables are truncated. */
const MAX_ROWS = 1000;
const MAX_BYTES = 500_000;
const MAX_CELL = 1000;

/** A title, a summary line, and a row per formula. */
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
  for (const { status, name, folder, detail } of rows.slice(0, MAX_ROWS)) {
    const row = `| ${[status, name, folder, detail].map(escapeCell).join(' | ')} |`;
    bytes += Buffer.byteLength(row);
    if (bytes > MAX_BYTES) break;
    shown.push(row);
  }
  return shown;
}

/** Escapes Markdown and HTML. */
const escapeCell = (text: string) =>
  escapeInvisible(truncateText(text, MAX_CELL)).replace(
    /[\\`*_{}[\]<>()#+!|~&@:]/g,
    (sign) => `&#${sign.codePointAt(0)};`,
  );

/** Appends a table to the step summary; outside of GitHub Actions does nothing. A write error is only a warning. */
export function addStepSummary(host: Host, title: string, line: string, rows: readonly SummaryRow[]): void {
  const file = host.env['GITHUB_ACTIONS'] === 'true' ? host.env['GITHUB_STEP_SUMMARY'] : undefined;
  if (!file) return;
  try {
    // Redacted before Markdown escapes change the text.
    const redacted = redactTexts({ line, rows }, (text) => host.redact(text));
    appendFileSync(file, host.redact(formatSummary(title, redacted.line, redacted.rows)));
  } catch (error) {
    host.stderr.write(`warning: could not write the step summary (${(error as NodeJS.ErrnoException).code})\n`);
  }
}
