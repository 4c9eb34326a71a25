/** formulary formula validate */

import type { DefineCommand } from '../../cli/define.ts';
import { openReport } from '../../report/report-file.ts';
import { annotateFindings } from '../../session/annotations.ts';
import { withOutputFlags } from '../../session/flags.ts';
import { startCheckProgress } from '../../session/load-folder.ts';
import { selectFolders, withDefaultPath, withPathFlags, withSinceFlag } from '../../session/path-flags.ts';
import { createSession } from '../../session/session.ts';
import { getSurroundings } from '../../state/xdg-paths.ts';
import {
  type FolderVerdict,
  formatValidationSummary,
  toJunitCase,
  toVerdict,
  VALIDATE_FIELDS,
  validationView,
} from '../../views/validate-view.ts';

export const validate: DefineCommand = (command, host, setOutcome) => {
  withSinceFlag(withPathFlags(withOutputFlags(command)))
    .description(
      'Check the manifest, code, and icon of formula folders. Runs no code, sends nothing, and requires no permission.',
    )
    .argument('[path...]', 'formula folders, or folders that contain some at any depth (default: .)')
    .option('--strict', 'treat warnings as errors')
    .option('--report <junit=file>', 'write the findings to a JUnit report')
    .action(async (paths, flags) => {
      const session = createSession(flags, host, VALIDATE_FIELDS);
      const report = openReport(flags.report, ['junit'], paths, host);
      const [verbose, strict] = [flags.verbose ?? false, flags.strict ?? false];
      const { folders: folderRefs } = await selectFolders(withDefaultPath(paths, flags), flags, session);
      const { checkFolders } = await import('../../check/check-folders.ts');
      const folders: FolderVerdict[] = [];
      const progress = startCheckProgress(host, folderRefs.length);
      for await (const checked of checkFolders(folderRefs, { bundleContext: getSurroundings(host) })) {
        folders.push(toVerdict(checked, strict));
        progress.step(!checked.body);
      }
      progress.end();
      report.write('junit', { suite: 'formulary formula validate', cases: folders.map(toJunitCase) });
      for (const { checked } of folders) annotateFindings(checked, verbose, host);
      await session.print(validationView(folders, verbose));
      if (folders.length !== 1) session.note(formatValidationSummary(folders));
      if (folders.some(({ outcome }) => outcome === 'invalid')) setOutcome('invalid');
    });
};
