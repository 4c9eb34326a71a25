/** The commands that resolve a conflict between a folder and a remote change. Pure. */
import { basename, dirname, isAbsolute } from 'node:path';
import type { Formula } from '../../model.ts';
import { type CommandFormatter, toPathArgument } from '../../text/shell-quote.ts';

/** `overwrite` is the command that uses the local version. */
export function formatConflictHint(
  { folder }: { folder: string },
  { id }: Pick<Formula, 'id'>,
  command: CommandFormatter,
  overwrite = 'formula push',
): string {
  const path = toPathArgument(folder);
  // Without --dir, pull finds only folders below the current one.
  const isElsewhere = isAbsolute(folder) || folder.startsWith('..');
  const parent = isElsewhere
    ? ['--dir', toPathArgument(basename(folder) === '..' ? `${folder}/..` : dirname(folder))]
    : [];
  return [
    `To see the change, run: ${command('formula diff', path)}`,
    `To use the remote version, run: ${command('formula pull', id, ...parent, '--force')}`,
    `To use the local version, run: ${command(overwrite, path, '--force')}`,
  ].join('\n');
}
