/** Findings as annotations of GitHub Actions: workflow commands on a line of their own. */
import { harmless } from '../output/escape.ts';
import type { Finding } from '../rules/rule.ts';

const COMMANDS = { error: 'error', warning: 'warning', note: 'notice' } as const;

/** The command that marks a finding at its file; `path` is the file's, from the working folder. */
export function annotation(path: string, { level, line, column, rule, message }: Finding): string {
  const properties = { file: path, line, col: column, title: rule };
  const pairs = Object.entries(properties).map(
    ([key, value]) => `${key}=${escaped(String(value)).replaceAll(':', '%3A').replaceAll(',', '%2C')}`,
  );
  return `::${COMMANDS[level]} ${pairs.join(',')}::${escaped(message)}`;
}

/** A line break would begin a command of its own. */
const escaped = (text: string) =>
  harmless(text, '\r\n').replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
