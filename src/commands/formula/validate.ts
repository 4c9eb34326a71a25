/** formulary formula validate */

import type { TimedReport } from '../../check/check-folders.ts';
import { limitFindings } from '../../check/limit-findings.ts';
import { toDisplayPath } from '../../files/paths.ts';
import { escapeControls } from '../../output/escape.ts';
import type { FieldSet } from '../../output/fields.ts';
import type { View } from '../../output/formats.ts';
import type { DefineCommand } from '../../program/define.ts';
import { withOutputFlags } from '../../program/flags.ts';
import { selectFolders, withDefaultPath, withPathFlags, withSinceFlag } from '../../program/path-flags.ts';
import { createSession } from '../../program/session.ts';
import type { JunitCase } from '../../report/junit.ts';
import { openReport } from '../../report/report-file.ts';
import type { Finding } from '../../rules/rule.ts';
import { getSurroundings } from '../../state/xdg-paths.ts';
import { annotateFindings, formatFindings } from '../../views/findings-view.ts';

const FIELDS: FieldSet = {
  known: ['folder', 'name', 'outcome', 'findings'],
};

export const validate: DefineCommand = (command, host, setOutcome) => {
  withSinceFlag(withPathFlags(withOutputFlags(command)))
    .description(
      'Check the manifest, code, and icon of formula folders. Runs no code, sends nothing, and requires no permission.',
    )
    .argument('[path...]', 'formula folders, or folders that contain some at any depth (default: .)')
    .option('--strict', 'treat warnings as errors')
    .option('--report <junit=file>', 'write the findings to a JUnit report')
    .addHelpText(
      'after',
      '\nExamples:\n  formulary formula validate my-formula\n  formulary formula validate formulas --strict --report junit=report.xml\n  formulary formula validate formulas --json',
    )
    .action(async (paths, flags) => {
      const session = createSession(flags, host, FIELDS);
      const { print } = session;
      const report = openReport(flags.report, ['junit'], paths, host);
      const [verbose, strict] = [flags.verbose ?? false, flags.strict ?? false];
      const { folders: folderRefs } = await selectFolders(withDefaultPath(paths, flags), flags, session);
      if (folderRefs.length === 0) session.note('nothing to do');
      const { checkFolders } = await import('../../check/check-folders.ts');
      const options = { bundleContext: getSurroundings(host), withContent: false };
      const folders: FolderVerdict[] = [];
      for await (const report of checkFolders(folderRefs, options)) folders.push(toVerdict(report, strict));
      report.write('junit', { suite: 'formulary formula validate', cases: folders.map(toJunitCase) });
      for (const { checked } of folders) annotateFindings(checked, verbose, host);
      await print(validationView(folders, verbose));
      if (folders.length > 1) session.note(formatSummary(folders));
      if (folders.some(({ outcome }) => outcome === 'invalid')) setOutcome('invalid');
    });
};

interface FolderVerdict {
  checked: TimedReport;
  outcome: 'valid' | 'invalid';
}

function toVerdict(checked: TimedReport, strict: boolean): FolderVerdict {
  const isInvalid = !checked.isValid || (strict && checked.findings.some(({ level }) => level === 'warning'));
  return { checked, outcome: isInvalid ? 'invalid' : 'valid' };
}

function formatSummary(folders: readonly FolderVerdict[]): string {
  const invalid = folders.filter(({ outcome }) => outcome === 'invalid').length;
  return `${folders.length - invalid} valid, ${invalid} invalid`;
}

/** The result document; as a table, the findings and the outcome of each folder. */
function validationView(folders: readonly FolderVerdict[], verbose: boolean): View {
  const items = folders.map(({ checked: { folder, name, findings }, outcome }) => ({
    folder,
    name,
    outcome,
    findings,
  }));
  const invalid = items.filter(({ outcome }) => outcome === 'invalid').length;
  return {
    value: { schema_version: 1, items, summary: { total: items.length, valid: items.length - invalid, invalid } },
    table: async (target) => {
      const texts: string[] = [];
      for (const { checked, outcome } of folders) {
        texts.push(await formatFindings(checked, verbose, target), `${escapeControls(checked.folder)}: ${outcome}\n`);
      }
      return texts.join('');
    },
  };
}

/** Errors are failures, with --strict and without errors also warnings; all other findings are remarks. */
function toJunitCase({ checked: { folder, name, findings, durationMs }, outcome }: FolderVerdict): JunitCase {
  const failing = findings.some(({ level }) => level === 'error') ? 'error' : 'warning';
  const isFailure = ({ level }: Finding) => outcome === 'invalid' && level === failing;
  const text = ({ file, line, column, level, message }: Finding) => `${file}:${line}:${column} ${level}: ${message}`;
  const shown = limitFindings(findings);
  return {
    name: name ?? folder,
    classname: folder,
    file: toDisplayPath(folder, 'manifest.json'),
    durationMs,
    failures: shown.filter(isFailure).map((finding) => ({ type: finding.rule, message: text(finding) })),
    remarks: shown.filter((finding) => !isFailure(finding)).map((finding) => `${finding.rule}: ${text(finding)}`),
  };
}
