/** In GitHub Actions, adds to the summary of the step. */
import { appendFileSync } from 'node:fs';
import type { Host } from '../host/host.ts';
import { type SummaryRow, summaryMarkdown } from './step-summary.ts';

/** Adds a table to the file that GitHub Actions names; elsewhere does nothing. One that cannot be written is a warning. */
export function addStepSummary(host: Host, title: string, line: string, rows: readonly SummaryRow[]): void {
  const file = host.env['GITHUB_ACTIONS'] === 'true' ? host.env['GITHUB_STEP_SUMMARY'] : undefined;
  if (!file) return;
  try {
    // Hidden before it is Markdown, which escapes what is escaped already.
    const hidden = rows.map(({ what, name, folder, detail }) => ({
      what,
      name: host.hidden(name),
      folder: host.hidden(folder),
      detail: host.hidden(detail),
    }));
    appendFileSync(file, host.hidden(summaryMarkdown(title, host.hidden(line), hidden)));
  } catch (error) {
    host.stderr.write(`warning: the step summary could not be written (${(error as NodeJS.ErrnoException).code})\n`);
  }
}
