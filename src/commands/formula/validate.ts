/** formulary formula validate */
import { readFolder } from '../../folder/read.ts';
import { findFormulaFolders } from '../../folder/tree.ts';
import { visible } from '../../output/escape.ts';
import type { Answer } from '../../output/formats.ts';
import type { Define } from '../../program.ts';
import { type Checked, checkFormula } from '../../rules/check.ts';
import { answerPrinter, withOutputFlags } from '../flags.ts';
import { findingLine } from './findings.ts';
import { checkedFolder } from './word.ts';

export const validate: Define = (command, host, end) => {
  withOutputFlags(command)
    .summary('check formula folders, offline')
    .description('Check formula folders: manifest, code and icon. Runs no code and sends nothing.')
    .argument('<path...>', 'formula folders, or folders that hold some at any depth')
    .addHelpText(
      'after',
      '\nExamples:\n  formulary formula validate my-formula\n  formulary formula validate formulas --json',
    )
    .action(async (paths, flags) => {
      const print = answerPrinter(flags, host);
      const folders = findFormulaFolders(paths.map((typed) => ({ typed, path: checkedFolder(typed, host) })));
      const checked = folders.map(({ typed, path }) => checkFormula({ ...readFolder(path), folder: typed }));
      await print(validationAnswer(checked));
      if (checked.some(({ body }) => !body)) end('invalid');
    });
};

/** The result document of the documented shape, and for people a line a finding with a verdict a folder. */
export function validationAnswer(checked: readonly Checked[]): Answer {
  const items = checked.map(({ folder, name, findings, body }) => ({
    folder,
    name,
    outcome: body ? 'valid' : 'invalid',
    findings,
  }));
  const invalid = items.filter(({ outcome }) => outcome === 'invalid').length;
  return {
    value: { schema_version: 1, items, summary: { total: items.length, valid: items.length - invalid, invalid } },
    table: () => items.flatMap(itemLines).join(''),
  };
}

function itemLines({
  folder,
  outcome,
  findings,
}: {
  folder: string;
  outcome: string;
  findings: Checked['findings'];
}): string[] {
  const shown = findings.filter(({ level }) => level !== 'note').map((finding) => `${findingLine(folder, finding)}\n`);
  return [...shown, `${visible(folder)}: ${outcome}\n`];
}
