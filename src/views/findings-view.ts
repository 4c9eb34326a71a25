/** Findings as people and CI systems read them; the one way in which any command shows them. */

import type { Checked } from '../check/check-formula.ts';
import { limitFindings } from '../check/limit-findings.ts';
import { displayPath } from '../files/paths.ts';
import type { Host, Sink } from '../host/host.ts';
import { revealed } from '../output/escape.ts';
import { annotateFile } from '../report/github.ts';
import type { Finding } from '../rules/rule.ts';

/** What is shown of a checked folder. */
type Shown = Pick<Checked, 'folder' | 'findings' | 'texts'>;

/** `folder/file:line:column level rule: message`, and what to type instead after an arrow. */
export function findingLine(folder: string, { file, line, column, level, rule, message, fix }: Finding): string {
  return revealed(
    `${displayPath(folder, file)}:${line}:${column} ${level} ${rule}: ${message}${fix ? ` → ${fix}` : ''}`,
  );
}

/** Errors and warnings, notes only where they are asked for; of each rule the first ones. */
const shownFindings = ({ findings }: Pick<Checked, 'findings'>, verbose: boolean) =>
  limitFindings(findings.filter(({ level }) => verbose || level !== 'note'));

/** The findings of a folder: a line each, and on a terminal the place in the file below it. */
export async function findingsText(
  checked: Shown,
  verbose: boolean,
  sink: Pick<Sink, 'isTerminal' | 'hasColour' | 'columns'>,
): Promise<string> {
  const findings = shownFindings(checked, verbose);
  const lines = findings.map((finding) => findingLine(checked.folder, finding));
  if (!sink.isTerminal || findings.length === 0) return lines.map((line) => `${line}\n`).join('');
  const { framesOf } = await import('../output/code-frame.ts');
  const { styleOf } = await import('../output/style.ts');
  const style = styleOf(sink);
  const paint = { error: style.error, warning: style.warning, note: style.faint };
  const frames = new Map([...checked.texts].map(([file, text]) => [file, framesOf(file, text, sink.columns)]));
  return findings
    .map((finding, i) => {
      const frameAt = frames.get(finding.file);
      const frame = frameAt ? `${style.faint(frameAt(finding))}\n` : '';
      return `${paint[finding.level](lines[i] ?? '')}\n${frame}`;
    })
    .join('');
}

/** In GitHub Actions, marks the findings at their files, on stderr. */
export function annotate(checked: Shown, verbose: boolean, host: Host): void {
  for (const finding of shownFindings(checked, verbose))
    annotateFile(host, displayPath(checked.folder, finding.file), finding);
}
