/** Writes the summary of a GitHub Actions step. */
import { appendFileSync } from 'node:fs';
import type { Host } from '../host/host.ts';
import { formatSummary, type SummaryRow } from './step-summary.ts';

/** Appends a table to the step summary; outside of GitHub Actions does nothing. A write error is only a warning. */
export function addStepSummary(host: Host, title: string, line: string, rows: readonly SummaryRow[]): void {
  const file = host.env['GITHUB_ACTIONS'] === 'true' ? host.env['GITHUB_STEP_SUMMARY'] : undefined;
  if (!file) return;
  try {
    // Redacted before Markdown escapes change the text.
    const redacted = rows.map(({ status, name, folder, detail }) => ({
      status,
      name: host.redact(name),
      folder: host.redact(folder),
      detail: host.redact(detail),
    }));
    appendFileSync(file, host.redact(formatSummary(title, host.redact(line), redacted)));
  } catch (error) {
    host.stderr.write(`warning: could not write the step summary (${(error as NodeJS.ErrnoException).code})\n`);
  }
}
