/** The commands that resolve a conflict between a folder and a remote change. */
import { existsSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, normalize } from 'node:path';
import type { Folder } from '../../folder/find-folders.ts';
import type { FormulaBody, NamedFormula } from '../../model.ts';
import { type CommandFormatter, toPathArgument } from '../../text/shell-quote.ts';

/** A folder in conflict with a formula. */
export interface ConflictingFolder extends Folder {
  name: string;
  /** The id of its entry in the lock file. */
  linkedId: string | undefined;
  /** Whether `pull` may replace it without --force. */
  isUnedited: boolean;
  /** The fields that differ. */
  fields: readonly (keyof FormulaBody)[];
  /** The commit that the folder is of. */
  at?: string | undefined;
}

/** Before the command that shows the change. */
export const SHOW_HINT = 'To see the change, run: ';

/** Contains only commands that work in the current state. `overwrite` is the command that uses the local version. */
export function formatConflictHint(
  local: ConflictingFolder,
  { id, name }: NamedFormula,
  command: CommandFormatter,
  overwrite: string,
): string {
  const path = toPathArgument(local.displayPath);
  // Without an entry, diff and pull find the folder by its name.
  const isFound =
    local.linkedId === undefined ? local.name === name : local.linkedId.toLowerCase() === id.toLowerCase();
  const show = isFound
    ? command('formula diff', path, ...(local.at === undefined ? [] : ['--at', local.at]))
    : command('formula get', id);
  return [
    `${SHOW_HINT}${show}`,
    ...(isFound && local.at === undefined && !isSkippedByPull(local)
      ? [`To use the remote version, run: ${formatPullCommand(local, id, command)}`]
      : []),
    `To use the ${local.at === undefined ? 'local version' : `version of ${local.at}`}, run: ${overwrite}`,
  ].join('\n');
}

/** The command that writes the remote version into the folder. */
export const formatPullCommand = (
  { displayPath, isUnedited }: { displayPath: string; isUnedited?: boolean },
  id: string,
  command: CommandFormatter,
): string => command('formula pull', id, ...formatParent(displayPath), ...(isUnedited ? [] : ['--force']));

/** Without --dir, pull finds only folders below the current one. */
function formatParent(folder: string): string[] {
  const path = normalize(folder);
  if (!isAbsolute(path) && !path.startsWith('..')) return [];
  return ['--dir', toPathArgument(basename(path) === '..' ? `${path}/..` : dirname(path))];
}

/** Whether pull skips the folder: it never writes code next to code.ts or code.mjs. */
export const isSkippedByPull = ({ path, fields }: Pick<ConflictingFolder, 'path' | 'fields'>): boolean =>
  fields.includes('code') && ['code.ts', 'code.mjs'].some((name) => existsSync(join(path, name)));
