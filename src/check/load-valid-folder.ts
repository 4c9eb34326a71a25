/** Reads and checks a formula folder for a command that wants to send it. */
import type { Bundle } from '../code/bundle/bundle.ts';
import { CliError } from '../errors.ts';
import type { Place } from '../folder/find-folders.ts';
import type { Host } from '../host/host.ts';
import type { FormulaBody } from '../model.ts';
import { visible } from '../output/escape.ts';
import { checkedPlace } from '../program/arguments.ts';
import { notePrinter, type OutputFlags } from '../program/flags.ts';
import { surroundingsFrom } from '../state/xdg-paths.ts';
import { commandLine, pathArgument } from '../text/shell-quote.ts';
import { annotate, findingsText } from '../views/findings-view.ts';
import type { Checked } from './check-formula.ts';

/** A folder without an error in it. */
export interface ValidFolder {
  path: string;
  /** What is sent. */
  body: FormulaBody;
  checked: Checked;
}

/**
 * The body that a folder stands for. Warnings (with --verbose notes too) go to stderr. Raises usage (2) when there
 * is no such folder, invalid (3) with all findings when the folder has an error.
 */
export async function checkedBody(typed: string, flags: OutputFlags, host: Host): Promise<FormulaBody> {
  return (await validFolder(typed, flags, host, { undone: 'nothing was sent' })).body;
}

interface Checking {
  /** What the error says was not done because of an invalid folder. */
  undone: string;
  /** Is told of each file of the repository that is bundled, by its real path. */
  onRead?: (file: string) => void;
}

/** The same with all that is known of the folder. */
export const validFolder = (dir: string, flags: OutputFlags, host: Host, checking: Checking): Promise<ValidFolder> =>
  validPlace(checkedPlace(dir, host), flags, host, checking);

/** The same for a folder that was found. */
export async function validPlace(
  place: Place,
  flags: OutputFlags,
  host: Host,
  { undone, onRead }: Checking,
): Promise<ValidFolder> {
  const { typed, path } = place;
  const { checkFolder } = await import('./check-formula.ts');
  const checked = await checkFolder(place, { ...surroundingsFrom(host), ...(onRead && { onRead }) });
  const verbose = flags.verbose ?? false;
  annotate(checked, verbose, host);
  const text = await findingsText(checked, verbose, host.stderr);
  if (text) notePrinter(flags, host)(text.trimEnd());
  if (checked.body) {
    if (verbose && checked.bundle) host.stderr.write(`${visible(bundleSize(checked.bundle))}\n`);
    return { path, body: checked.body, checked };
  }
  // Under --json the findings are in the error's details, and stderr ends in one document.
  throw new CliError('invalid', `${typed} is not a valid formula; ${undone}`, {
    hint: place.isMisnamed
      ? 'Rename the folder.'
      : `mend what is named, then: ${commandLine(host.platform)('formula validate', pathArgument(typed))}`,
    details: { findings: checked.findings },
  });
}

function bundleSize({ file, code, sources }: Bundle): string {
  const others = sources.size - 1;
  const files =
    others === 0 ? `${file} was` : `${file} and ${others} ${others === 1 ? 'other file' : 'other files'} were`;
  return `note: ${files} bundled to ${Buffer.byteLength(code)} bytes`;
}
