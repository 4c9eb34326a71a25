/** Formats the findings of all commands, for people and CI systems. */
import type { CheckResult } from '../check/check-folder.ts';
import { limitFindings } from '../check/limit-findings.ts';
import { toDisplayPath } from '../files/paths.ts';
import type { OutputStream } from '../host/host.ts';
import { escapeInvisible } from '../output/escape.ts';
import { wrapMessage } from '../output/wrap-message.ts';
import type { Finding } from '../rules/rule.ts';

export type FolderFindings = Pick<CheckResult, 'folder' | 'findings' | 'texts'>;

/** `folder/file:line:column level rule: message → fix`. */
function formatFinding(folder: string, { file, line, column, level, rule, message, fix }: Finding): string {
  return escapeInvisible(
    `${toDisplayPath(folder, file)}:${line}:${column} ${level} ${rule}: ${message}${fix ? ` → ${fix}` : ''}`,
  );
}

/** Errors and warnings, with `verbose` also notes; only the first ones of each rule. */
export const selectFindings = ({ findings }: Pick<CheckResult, 'findings'>, verbose: boolean) =>
  limitFindings(findings.filter(({ level }) => verbose || level !== 'note'));

/** Folders of which the warnings and notes of one rule are shown on a terminal. */
const MAX_FOLDERS = 3;

export interface FindingsFormatter {
  /** One line per finding, on a terminal with a code frame. */
  format(checked: FolderFindings): Promise<string>;
  /** One line for each rule whose findings in further folders were left out: `and 50 more (code-crlf)`. */
  formatOmitted(): string[];
}

/** Formats the findings of many folders; on a terminal without `verbose`, warnings and notes of one rule are counted. */
export function createFindingsFormatter(
  verbose: boolean,
  stream: Pick<OutputStream, 'isTerminal' | 'hasColor' | 'columns'>,
): FindingsFormatter {
  const folders = new Map<string, number>();
  const omitted = new Map<string, number>();
  const isCounting = stream.isTerminal && !verbose;
  return {
    format: (checked) => {
      const findings = selectFindings(checked, verbose);
      if (!isCounting) return formatFindings(checked, findings, stream);
      const rules = new Set(findings.flatMap(({ level, rule }) => (level === 'error' ? [] : [rule])));
      for (const rule of rules) folders.set(rule, (folders.get(rule) ?? 0) + 1);
      const isShown = ({ level, rule }: Finding) => level === 'error' || (folders.get(rule) ?? 0) <= MAX_FOLDERS;
      for (const finding of findings)
        if (!isShown(finding)) omitted.set(finding.rule, (omitted.get(finding.rule) ?? 0) + 1);
      return formatFindings(checked, findings.filter(isShown), stream);
    },
    formatOmitted: () => [...omitted].map(([rule, count]) => `and ${count} more (${rule})`),
  };
}

async function formatFindings(
  checked: FolderFindings,
  findings: readonly Finding[],
  stream: Pick<OutputStream, 'isTerminal' | 'hasColor' | 'columns'>,
): Promise<string> {
  const lines = findings.map((finding) => formatFinding(checked.folder, finding));
  if (!stream.isTerminal || findings.length === 0) return lines.map((line) => `${line}\n`).join('');
  const { createFrameFormatter } = await import('../output/code-frame.ts');
  const { createStyle } = await import('../output/style.ts');
  const style = createStyle(stream);
  const colorize = { error: style.error, warning: style.warning, note: style.faint };
  const frames = new Map(
    [...checked.texts].map(([file, text]) => [file, createFrameFormatter(file, text, stream.columns)]),
  );
  return findings
    .map((finding, i) => {
      const formatFrame = frames.get(finding.file);
      const frame = formatFrame ? `${style.faint(formatFrame(finding))}\n` : '';
      return `${colorize[finding.level](wrapMessage(lines[i] ?? '', stream))}\n${frame}`;
    })
    .join('');
}
