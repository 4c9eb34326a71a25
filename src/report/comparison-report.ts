/** Formats a comparison of behavior as Markdown: one line for each formula. */
import { formatCode } from './markdown.ts';

export interface ComparisonReport {
  /** What the folders were compared with. */
  reference: string;
  summary: string;
  /** Repeats the generated calls. */
  seed: number | undefined;
  lines: readonly { folder: string; outcome: string; text: string; difference: string | undefined }[];
}

const MAX_CHARACTERS = 60_000;
const MAX_DIFFERENCE = 400;

/** Differences first, then what was not compared. */
export function formatComparisonReport(
  { reference, summary, seed, lines }: ComparisonReport,
  redact: (text: string) => string,
): string {
  const head = `### Behavior compared with ${formatCode(redact(reference))}\n\n**${summary}**${seed === undefined ? '' : ` (seed ${seed})`}\n\n`;
  const ordered = ['differs', 'skipped', 'same'].flatMap((outcome) => lines.filter((one) => one.outcome === outcome));
  const texts = ordered.map(({ folder, outcome, text, difference }) => {
    const details = difference === undefined ? text : `${text}: ${formatCode(redact(difference), MAX_DIFFERENCE)}`;
    return `- ${formatCode(redact(folder))}: ${outcome === 'differs' ? '**differs**' : outcome}, ${details}\n`;
  });
  let report = head;
  for (const [i, text] of texts.entries()) {
    if (report.length + text.length > MAX_CHARACTERS) return `${report}\n${texts.length - i} more not shown\n`;
    report += text;
  }
  return report;
}
