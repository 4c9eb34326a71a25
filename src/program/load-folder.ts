/** Checks formula folders for a command, and shows the findings on stderr. */
import type { Checked } from '../check/check-formula.ts';
import { checkTree, type Tree } from '../check/check-tree.ts';
import { describeBundle, requireValid, type ValidFolder } from '../check/valid-folder.ts';
import type { Place } from '../folder/find-folders.ts';
import type { FormulaBody } from '../model.ts';
import { visible } from '../output/escape.ts';
import { surroundingsFrom } from '../state/xdg-paths.ts';
import { commandLine } from '../text/shell-quote.ts';
import { annotate, findingsText } from '../views/findings-view.ts';
import { checkedPlace } from './arguments.ts';
import type { Session } from './session.ts';

interface LoadOptions {
  /** What the error says was not done because of an invalid folder. */
  undone: string;
  /** Called for each file of the repository that is bundled, with its real path. */
  onRead?: (file: string) => void;
}

/**
 * The body that publishes the folder. Raises usage (2) when the folder does not exist, invalid (3) with all findings
 * when it has an error.
 */
export async function loadBody(dir: string, session: Session): Promise<FormulaBody> {
  return (await loadFolder(checkedPlace(dir, session.host), session, { undone: 'nothing was sent' })).body;
}

/** Checks a folder. Raises invalid (3) with all findings when it has an error. */
export async function loadFolder(
  place: Place,
  session: Session,
  { undone, onRead }: LoadOptions,
): Promise<ValidFolder> {
  const { host } = session;
  const { checkFolder } = await import('../check/check-formula.ts');
  const checked = await checkFolder(place, { ...surroundingsFrom(host), ...(onRead && { onRead }) });
  await showFindings(checked, session);
  const valid = requireValid(place, checked, undone, commandLine(host.platform));
  if (session.isVerbose && checked.bundle) host.stderr.write(`${visible(describeBundle(checked.bundle))}\n`);
  return valid;
}

/** Checks all formula folders under the given paths. Raises usage (2) for a path that does not exist. */
export const loadTree = (paths: readonly string[], session: Session): Promise<Tree> =>
  checkTree(
    paths.map((path) => checkedPlace(path, session.host)),
    session.host,
    (checked) => showFindings(checked, session),
  );

/** Shows errors and warnings, with --verbose notes too, and annotates the files in GitHub Actions. */
async function showFindings(
  checked: Pick<Checked, 'folder' | 'findings' | 'texts'>,
  { isVerbose, note, host }: Session,
): Promise<void> {
  annotate(checked, isVerbose, host);
  const text = await findingsText(checked, isVerbose, host.stderr);
  if (text) note(text.trimEnd());
}
