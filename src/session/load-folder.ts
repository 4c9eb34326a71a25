/** Checks the formula folders of a command, and prints the findings on stderr. */
import type { CheckResult } from '../check/check-folder.ts';
import { assertSingleFormula, type LoadedFolder, requireValid } from '../check/valid-folder.ts';
import { realPath } from '../files/paths.ts';
import type { Folder } from '../folder/find-folders.ts';
import type { Host } from '../host/host.ts';
import { createMonotonicClock } from '../host/monotonic-clock.ts';
import type { FormulaBody } from '../model.ts';
import { type Progress, startProgress } from '../output/progress.ts';
import { getSurroundings } from '../state/xdg-paths.ts';
import { createCommandFormatter } from '../text/shell-quote.ts';
import { createFindingsFormatter } from '../views/findings-view.ts';
import { annotateFindings } from './annotations.ts';
import { resolveFolderRef } from './arguments.ts';
import type { Session } from './session.ts';

interface LoadOptions {
  /** What the command did not do because the folder is invalid, for the error message. */
  notDone: string;
  /** Called with the real path of each file of the repository that is bundled. */
  onRead?: (file: string) => void;
}

/** A valid folder whose formula will be sent; `path` is absolute and real. */
export interface FolderToSend extends Folder {
  body: FormulaBody;
}

/** Loads a folder to send. Raises usage (2) if it does not exist, and invalid (3) with all findings if it has an error. */
export async function loadFolderToSend(dir: string, session: Session): Promise<FolderToSend> {
  const folder = resolveFolderRef(dir, session.host);
  const { body } = await loadFolder(folder, session, { notDone: 'nothing was sent' });
  return { ...folder, path: realPath(folder.path), body };
}

/** Checks a folder. Raises invalid (3) with all findings if it has an error. */
export async function loadFolder(
  folder: Folder,
  session: Session,
  { notDone, onRead }: LoadOptions,
): Promise<LoadedFolder> {
  const { host } = session;
  const { checkFolder } = await import('../check/check-folder.ts');
  assertSingleFormula(folder, notDone, createCommandFormatter(host.platform));
  const checked = await checkFolder(folder, { ...getSurroundings(host), ...(onRead && { onRead }) });
  await createFindingsPrinter(session).print(checked);
  return requireValid(folder, checked, notDone, createCommandFormatter(host.platform));
}

/** Shows on a terminal how many folders are checked; nothing for one, which takes no time. */
export const startCheckProgress = ({ stderr, now }: Host, total: number): Progress =>
  startProgress(stderr, createMonotonicClock(now), 'check', total > 1 ? total : 0);

/**
 * Prints errors and warnings, with --verbose also notes, and annotates the files in GitHub Actions; `end` prints how many
 * were left out.
 */
export function createFindingsPrinter({ isVerbose, note, host }: Session) {
  const formatter = createFindingsFormatter(isVerbose, host.stderr);
  return {
    print: async (checked: Pick<CheckResult, 'folder' | 'findings' | 'texts'>) => {
      annotateFindings(checked, isVerbose, host);
      const text = await formatter.format(checked);
      if (text) note(text.trimEnd());
    },
    end: () => formatter.formatOmitted().forEach(note),
  };
}
