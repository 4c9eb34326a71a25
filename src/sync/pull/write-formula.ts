/** Writes one formula to its folder, or returns why the folder is skipped. */
import { existsSync, statSync } from 'node:fs';
import type { ServiceClient } from '../../api/client.ts';
import { getFormula } from '../../api/formula-reads.ts';
import { readFolderFormula } from '../../check/check-folder.ts';
import type { BundleContext } from '../../code/bundle/bundle.ts';
import { CliError } from '../../errors.ts';
import { findSymlink } from '../../files/find-symlink.ts';
import { writeIntoFolder, writeNewFolder } from '../../files/new-folder.ts';
import type { FolderFormula } from '../../folder/folder-formula.ts';
import { type FormulaFiles, formatManifest, toFormulaFiles } from '../../folder/formula-files.ts';
import { formatGitAttributes } from '../../folder/git-attributes.ts';
import { isFormulaFile } from '../../folder/read.ts';
import type { Formula } from '../../model.ts';
import { findFieldsWithKey } from '../../secrets/key-leaks.ts';
import { planPull } from './plan-pull.ts';
import type { PullTarget } from './pull-folders.ts';

export interface PullResult {
  /** The folder, for messages. */
  folder: string;
  path: string;
  formula: Formula;
  outcome: 'written' | 'unchanged' | 'kept' | 'failed';
  /** Why it was skipped, or failed. */
  error?: CliError;
  /** Warnings for the user. */
  warnings: readonly string[];
}

/** The context of all formulas of a pull. */
export interface PullContext {
  client: ServiceClient;
  /** Nothing is written outside of it; absolute and real. */
  root: string;
  /** The errors of formulas whose folder cannot be told, by id. */
  undecided: ReadonlyMap<string, CliError>;
  /** The hash of the content that a folder last had in common with the service. */
  findBaselineHash(folder: string, formula: Formula): string | undefined;
  force: boolean;
  surroundings: BundleContext;
  /** Formats a path for messages. */
  formatPath(path: string): string;
}

/** Never raises CliError: an error of one formula or folder is its outcome. */
export async function pullFormula(
  { formula, folder: path, linkedTo }: PullTarget,
  context: PullContext,
): Promise<PullResult> {
  const folder = context.formatPath(path);
  try {
    const undecided = context.undecided.get(formula.id.toLowerCase());
    if (undecided) throw undecided;
    // Some services omit the code in lists.
    const complete = formula.code == null ? await getFormula(context.client, formula.id) : formula;
    assertNoKey(complete, context.client);
    const files = toFormulaFiles(complete);
    if ('problem' in files)
      throw new CliError('invalid', `${JSON.stringify(formula.name)} cannot be a folder: ${files.problem}`);
    const result = await writeFormula(complete, files, path, context);
    const isCopy = linkedTo !== undefined && result.outcome !== 'kept';
    const warnings = isCopy
      ? [...result.warnings, formatCopyNote(folder, context.formatPath(linkedTo))]
      : result.warnings;
    return { folder, path, ...result, warnings };
  } catch (error) {
    const failure = toPullError(error, folder);
    return { folder, path, formula, outcome: 'failed', error: failure, warnings: [] };
  }
}

/** The key must not be written: it would be visible to everybody who can read the repository. */
function assertNoKey(formula: Formula, { redact }: ServiceClient): void {
  const fields = findFieldsWithKey(formula, redact);
  if (fields.length === 0) return;
  const message = `the formula ${formula.id} contains the API key in use (in its ${fields.join(', ')}) and was not written`;
  throw new CliError('invalid', message, {
    hint: 'Remove the key from the formula on the service, and use a new key: everyone can read it in the formula.',
  });
}

const formatCopyNote = (folder: string, linkedTo: string) =>
  `warning: ${folder} is a copy of the formula of ${linkedTo} and was not linked; do not push it`;

function toPullError(error: unknown, folder: string): CliError {
  if (error instanceof CliError) return error;
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall === undefined) throw error;
  return new CliError('usage', `${folder} cannot be read (${code})`, { cause: error });
}

async function writeFormula(formula: Formula, files: FormulaFiles, path: string, context: PullContext) {
  const folder = context.formatPath(path);
  const link = findSymlink(context.root, path, isFormulaFile);
  if (link !== undefined) {
    throw new CliError('usage', `${context.formatPath(link)} is a symbolic link; nothing is written through it`, {
      hint: 'Replace the link with a regular folder or file, or pull into another folder with --dir.',
    });
  }
  const isNew = !existsSync(path);
  if (!isNew && !statSync(path).isDirectory())
    throw new CliError('usage', `${folder} is not a directory; nothing was written`);
  if (isNew) {
    writeNewFolder(path, folder, buildNewFiles(files));
  } else {
    const local = await readFolderFormula(path, context.surroundings);
    const step = planPull({
      formula,
      target: files,
      local,
      baselineHash: context.findBaselineHash(path, formula),
      force: context.force,
    });
    if (step.outcome === 'kept')
      return { formula, outcome: step.outcome, error: skippedError(folder, step.files, local), warnings: [] };
    if (step.outcome === 'unchanged')
      return { formula, outcome: step.outcome, warnings: formatIconWarnings(folder, files) };
    writeIntoFolder(path, folder, step.files, step.removed);
  }
  return { formula, outcome: 'written' as const, warnings: formatIconWarnings(folder, files) };
}

const buildNewFiles = ({ body, code, icon }: FormulaFiles) => ({
  '.gitattributes': formatGitAttributes('js'),
  'code.js': code,
  ...(icon && { [icon.name]: icon.bytes }),
  'manifest.json': formatManifest(body),
});

function skippedError(folder: string, files: readonly string[], { code }: FolderFormula): CliError {
  const differ = files.length === 1 ? 'differs' : 'differ';
  const isBundled = code !== undefined && code.file !== 'code.js' && files.includes(code.file);
  const reason = isBundled
    ? `and the code cannot be written next to ${code.file}`
    : 'possibly because of local changes; to overwrite, pass --force';
  return new CliError('differs', `skipped ${folder}: ${files.join(', ')} ${differ} from the service, ${reason}`);
}

const formatIconWarnings = (folder: string, { iconProblem }: FormulaFiles) =>
  iconProblem === undefined ? [] : [`warning: ${folder}: the icon ${iconProblem}; no icon file was written`];
