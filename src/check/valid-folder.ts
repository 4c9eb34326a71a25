/** A formula folder without an error in it, as commands need it that send or run a formula. */
import type { Bundle } from '../code/bundle/bundle.ts';
import { CliError } from '../errors.ts';
import type { FolderRef } from '../folder/find-folders.ts';
import type { FormulaBody } from '../model.ts';
import { type CommandFormatter, toPathArgument } from '../text/shell-quote.ts';
import type { FormulaReport } from './check-formula.ts';

export interface ValidFolder {
  path: string;
  /** The body of a request that publishes the folder. */
  body: FormulaBody;
  report: FormulaReport;
}

/**
 * The folder, if no error was found in it. Raises invalid (3) with all findings otherwise; `undone` says what was not
 * done because of it.
 */
export function requireValid(
  folder: FolderRef,
  report: FormulaReport,
  skippedAction: string,
  command: CommandFormatter,
): ValidFolder {
  if (report.body) return { path: folder.path, body: report.body, report };
  throw new CliError('invalid', `${folder.typed} is not a valid formula; ${skippedAction}`, {
    hint: folder.isMisnamed
      ? 'Rename the folder.'
      : `Fix the errors above, then run: ${command('formula validate', toPathArgument(folder.typed))}`,
    details: { findings: report.findings },
  });
}

/** A note on the files and the size of a bundle. */
export function describeBundle({ file, code, sources }: Bundle): string {
  const others = sources.size - 1;
  const files =
    others === 0 ? `${file} was` : `${file} and ${others} ${others === 1 ? 'other file' : 'other files'} were`;
  return `note: ${files} bundled to ${Buffer.byteLength(code)} bytes`;
}
