/** Reads and checks a formula folder for a command that wants to send it. */
import { CliError } from '../../errors.ts';
import { readFolder } from '../../folder/read.ts';
import type { Host } from '../../host.ts';
import type { FormulaBody } from '../../model.ts';
import { checkFormula } from '../../rules/check.ts';
import { findingLine } from './findings.ts';
import { checkedFolder } from './word.ts';

/**
 * The body that a folder stands for. Warnings are given to `note`. Raises usage (2) when there is no such folder,
 * invalid (3) with all findings when the folder has an error.
 */
export function checkedBody(typed: string, host: Host, note: (text: string) => void): FormulaBody {
  const path = checkedFolder(typed, host);
  const { findings, body } = checkFormula({ ...readFolder(path), folder: typed });
  const lines = findings.filter(({ level }) => level !== 'note').map((finding) => findingLine(typed, finding));
  if (!body) {
    throw new CliError('invalid', `${typed} is no valid formula; nothing was sent\n${lines.join('\n')}`, {
      hint: 'formulary formula validate shows the findings as well',
      details: { findings },
    });
  }
  for (const line of lines) note(line);
  return body;
}
