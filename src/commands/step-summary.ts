/** In GitHub Actions, adds to the summary of the step. */
import { appendFileSync } from 'node:fs';
import type { Host } from '../host.ts';
import { type SummaryRow, summaryMarkdown } from '../report/step-summary.ts';

/** Adds a table to the file that GitHub Actions names; elsewhere does nothing. One that cannot be written is a warning. */
export function addStepSummary(host: Host, title: string, line: string, rows: readonly SummaryRow[]): void {
  const file = host.env['GITHUB_ACTIONS'] === 'true' ? host.env['GITHUB_STEP_SUMMARY'] : undefined;
  if (!file) return;
  try {
    appendFileSync(file, host.hidden(summaryMarkdown(title, line, rows)));
  } catch (error) {
    host.stderr.write(`warning: the step summary could not be written (${(error as NodeJS.ErrnoException).code})\n`);
  }
}
