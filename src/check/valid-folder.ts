/** A valid formula folder, for commands that send or run one formula. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CliError } from '../errors.ts';
import { type Folder, findNestedFolders } from '../folder/find-folders.ts';
import { CODE_FILES } from '../folder/read.ts';
import type { FormulaBody } from '../model.ts';
import { type CommandFormatter, toPathArgument } from '../text/shell-quote.ts';
import type { CheckResult } from './check-folder.ts';

export interface LoadedFolder {
  path: string;
  /** The body of a request that publishes the folder. */
  body: FormulaBody;
  result: CheckResult;
}

/**
 * The folder if it is valid. Raises invalid (3) with all findings otherwise; `skippedAction` names the action that did
 * not happen.
 */
export function requireValid(
  folder: Folder,
  result: CheckResult,
  skippedAction: string,
  command: CommandFormatter,
): LoadedFolder {
  if (result.body) return { path: folder.path, body: result.body, result };
  throw new CliError('invalid', `${folder.displayPath} is not a valid formula; ${skippedAction}`, {
    hint: folder.isMisnamed
      ? 'Rename the folder.'
      : `Fix the errors, then run: ${command('formula validate', toPathArgument(folder.displayPath))}`,
    details: { findings: result.findings },
  });
}

/** Raises invalid (3) for a folder that only contains formulas, for a command for one formula. */
export function assertSingleFormula(
  { displayPath, path, isMisnamed = false }: Folder,
  skippedAction: string,
  command: CommandFormatter,
): void {
  if (isMisnamed || ['manifest.json', ...CODE_FILES].some((name) => existsSync(join(path, name)))) return;
  if (findNestedFolders({ path, displayPath }).length === 0) return;
  throw new CliError('invalid', `${displayPath} contains formulas, but is not one itself; ${skippedAction}`, {
    hint: `Pass the folder of one formula.\nTo publish all of them, run: ${command('formula push', toPathArgument(displayPath))}`,
  });
}
