/** In GitHub Actions, adds to the summary of the step. */
import { appendFileSync } from 'node:fs';
import type { Host } from '../host/host.ts';
import { formatSummary, type SummaryRow } from './step-summary.ts';

/** Adds a table to the file that GitHub Actions names; elsewhere does nothing. One that cannot be written is a warning. */
export function addStepSummary(host: Host, title: string, line: string, rows: readonly SummaryRow[]): void {
  const file = host.env['GITHUB_ACTIONS'] === 'true' ? host.env['GITHUB_STEP_SUMMARY'] : undefined;
  if (!file) return;
  try {
    // Hidden before it is Markdown, which escapes what is escaped already.
    const redacted = rows.map(({ what, name, folder, detail }) => ({
      what,
      name: host.redact(name),
      folder: host.redact(folder),
      detail: host.redact(detail),
    }));
    appendFileSync(file, host.redact(formatSummary(title, host.redact(line), redacted)));
  } catch (error) {
    host.stderr.write(`warning: the step summary could not be written (${(error as NodeJS.ErrnoException).code})\n`);
  }
}
