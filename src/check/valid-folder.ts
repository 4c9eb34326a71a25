/** A formula folder without an error in it, as commands need it that send or run a formula. */
import type { Bundle } from '../code/bundle/bundle.ts';
import { CliError } from '../errors.ts';
import type { Place } from '../folder/find-folders.ts';
import type { FormulaBody } from '../model.ts';
import { type CommandLine, pathArgument } from '../text/shell-quote.ts';
import type { Checked } from './check-formula.ts';

export interface ValidFolder {
  path: string;
  /** The body of a request that publishes the folder. */
  body: FormulaBody;
  checked: Checked;
}

/**
 * The folder, if no error was found in it. Raises invalid (3) with all findings otherwise; `undone` says what was not
 * done because of it.
 */
export function requireValid(place: Place, checked: Checked, undone: string, command: CommandLine): ValidFolder {
  if (checked.body) return { path: place.path, body: checked.body, checked };
  throw new CliError('invalid', `${place.typed} is not a valid formula; ${undone}`, {
    hint: place.isMisnamed
      ? 'Rename the folder.'
      : `Fix the errors above, then run: ${command('formula validate', pathArgument(place.typed))}`,
    details: { findings: checked.findings },
  });
}

/** A note on the files and the size of a bundle. */
export function describeBundle({ file, code, sources }: Bundle): string {
  const others = sources.size - 1;
  const files =
    others === 0 ? `${file} was` : `${file} and ${others} ${others === 1 ? 'other file' : 'other files'} were`;
  return `note: ${files} bundled to ${Buffer.byteLength(code)} bytes`;
}
