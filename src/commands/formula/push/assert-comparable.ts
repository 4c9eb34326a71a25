/** Refuses to compare folders that are invalid, or have the same name or id. */
import type { FormulaTree } from '../../../check/check-tree.ts';
import { CliError } from '../../../errors.ts';
import type { Host } from '../../../host/host.ts';
import { formatPathArguments, type PathFlags, type SinceFlags } from '../../../session/path-flags.ts';
import { createCommandFormatter, toPathArgument } from '../../../text/shell-quote.ts';
import { listFirst } from '../../../text/shorten.ts';

/** Raises invalid (3) if two folders have the same name or id. */
export function assertNoDuplicates(duplicates: ReadonlyMap<string, string>): void {
  const [duplicate] = duplicates.values();
  if (duplicate !== undefined) throw new CliError('invalid', `${duplicate}; nothing was compared`);
}

/** Raises invalid (3) if a folder is not valid. */
export function assertValid(
  tree: FormulaTree,
  paths: readonly string[],
  flags: PathFlags & SinceFlags,
  host: Host,
): void {
  const invalid = tree.formulas.filter(({ local }) => !local);
  if (invalid.length > 0) {
    throw new CliError(
      'invalid',
      `${formatInvalidFolders(invalid.map(({ folder }) => folder))}; nothing was compared`,
      {
        hint: `Fix the errors, then run: ${createCommandFormatter(host.platform)('formula validate', ...(formatPathArguments(paths, flags) ?? invalid.map(({ folder }) => toPathArgument(folder))))}`,
        details: {
          findings: invalid.flatMap(({ folder, findings }) => findings.map((finding) => ({ folder, ...finding }))),
        },
      },
    );
  }
}

function formatInvalidFolders(folders: readonly string[]): string {
  if (folders.length === 1) return `${folders[0]} is not a valid formula`;
  return `${folders.length} formulas are invalid: ${listFirst(folders)}`;
}
