/** formulary formula validate */

import type { TimedJudged } from '../../check/check-folders.ts';
import { limitFindings } from '../../check/limit-findings.ts';
import { displayPath } from '../../files/paths.ts';
import { findFormulaFolders } from '../../folder/find-folders.ts';
import { visible } from '../../output/escape.ts';
import type { Answer } from '../../output/formats.ts';
import { checkedPlace } from '../../program/arguments.ts';
import type { Define } from '../../program/define.ts';
import { withOutputFlags } from '../../program/flags.ts';
import { createSession } from '../../program/session.ts';
import type { JunitCase } from '../../report/junit.ts';
import { reportWriter } from '../../report/report-file.ts';
import type { Finding } from '../../rules/rule.ts';
import { surroundingsFrom } from '../../state/xdg-paths.ts';
import { annotate, findingsText } from '../../views/findings-view.ts';

export const validate: Define = (command, host, end) => {
  withOutputFlags(command)
    .summary('check formula folders, offline')
    .description(
      'Check formula folders: manifest, code and icon. Runs no code, sends nothing, and needs no permission.',
    )
    .argument('<path...>', 'formula folders, or folders that hold some at any depth')
    .option('--strict', 'a warning makes a folder invalid too')
    .option('--report <junit=file>', 'write the findings, notes too, as a JUnit report')
    .addHelpText(
      'after',
      '\nExamples:\n  formulary formula validate my-formula\n  formulary formula validate formulas --strict --report junit=report.xml\n  formulary formula validate formulas --json',
    )
    .action(async (paths, flags) => {
      const session = createSession(flags, host);
      const { print } = session;
      const report = reportWriter(flags.report, paths, host);
      const [verbose, strict] = [flags.verbose ?? false, flags.strict ?? false];
      const places = findFormulaFolders(paths.map((path) => checkedPlace(path, host)));
      const { judgeMany } = await import('../../check/check-folders.ts');
      const judging = { surroundings: surroundingsFrom(host), withContent: false };
      const folders: Verdict[] = [];
      for await (const judged of judgeMany(places, judging)) folders.push(verdict(judged, strict));
      report('formulary formula validate', folders.map(junitCase));
      for (const { checked } of folders) annotate(checked, verbose, host);
      await print(validationAnswer(folders, verbose));
      if (folders.some(({ outcome }) => outcome === 'invalid')) end('invalid');
    });
};

interface Verdict {
  checked: TimedJudged;
  outcome: 'valid' | 'invalid';
}

function verdict(checked: TimedJudged, strict: boolean): Verdict {
  const isRefused = !checked.isValid || (strict && checked.findings.some(({ level }) => level === 'warning'));
  return { checked, outcome: isRefused ? 'invalid' : 'valid' };
}

/** The result document, and for people the findings with a verdict a folder. */
function validationAnswer(folders: readonly Verdict[], verbose: boolean): Answer {
  const items = folders.map(({ checked: { folder, name, findings }, outcome }) => ({
    folder,
    name,
    outcome,
    findings,
  }));
  const invalid = items.filter(({ outcome }) => outcome === 'invalid').length;
  return {
    value: { schema_version: 1, items, summary: { total: items.length, valid: items.length - invalid, invalid } },
    table: async (paper) => {
      const texts: string[] = [];
      for (const { checked, outcome } of folders) {
        texts.push(await findingsText(checked, verbose, paper), `${visible(checked.folder)}: ${outcome}\n`);
      }
      if (paper.isTerminal && items.length > 1) {
        texts.push(`${items.length} folders: ${items.length - invalid} valid, ${invalid} invalid\n`);
      }
      return texts.join('');
    },
  };
}

/** A failure for the errors, or with --strict for the warnings where there are no errors; the other findings are remarks. */
function junitCase({ checked: { folder, name, findings, durationMs }, outcome }: Verdict): JunitCase {
  const failing = findings.some(({ level }) => level === 'error') ? 'error' : 'warning';
  const isFailure = ({ level }: Finding) => outcome === 'invalid' && level === failing;
  const text = ({ file, line, column, level, message }: Finding) => `${file}:${line}:${column} ${level}: ${message}`;
  const shown = limitFindings(findings);
  return {
    name: name ?? folder,
    classname: folder,
    file: displayPath(folder, 'manifest.json'),
    durationMs,
    failures: shown.filter(isFailure).map((finding) => ({ type: finding.rule, message: text(finding) })),
    remarks: shown.filter((finding) => !isFailure(finding)).map((finding) => `${finding.rule}: ${text(finding)}`),
  };
}
