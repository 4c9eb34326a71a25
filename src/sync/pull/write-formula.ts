/** Writes one formula as a folder, or leaves the folder alone and says why. */
import { existsSync, statSync } from 'node:fs';
import type { Send } from '../../api/client.ts';
import { getFormula } from '../../api/formula-reads.ts';
import { checkFolder } from '../../check/check-formula.ts';
import type { Surroundings } from '../../code/bundle/bundle.ts';
import { CliError } from '../../errors.ts';
import { findLink, writeIntoFolder, writeNewFolder } from '../../files/atomic-write.ts';
import { type Said, saidBy } from '../../folder/folder-formula.ts';
import { type FormulaFiles, formulaFiles, manifestText } from '../../folder/formula-files.ts';
import { gitAttributes } from '../../folder/git-attributes.ts';
import { CODE_FILES, isIconName, readFolder } from '../../folder/read.ts';
import type { Formula } from '../../model.ts';
import { partsWithKey } from '../../secrets/key-leaks.ts';
import type { Seen } from '../../state/remote-baseline.ts';
import { planPull } from './plan-pull.ts';
import type { Placed } from './pull-folders.ts';

export interface PullResult {
  /** The folder for people. */
  folder: string;
  path: string;
  formula: Formula;
  outcome: 'written' | 'unchanged' | 'kept' | 'failed';
  /** Why it was kept, or failed. */
  error?: CliError;
  /** What a user should know of it beyond that. */
  warnings: readonly string[];
}

/** What all formulas of a pull are written with. */
export interface PullWorld {
  send: Send;
  /** Nothing is written outside of it; absolute and real. */
  root: string;
  seen: Seen;
  force: boolean;
  surroundings: Surroundings;
  /** A path for people. */
  shown(path: string): string;
}

/** Never raises for what one formula or one folder is: that is its outcome. */
export async function pullOne({ formula, folder: path, linkedTo }: Placed, world: PullWorld): Promise<PullResult> {
  const folder = world.shown(path);
  try {
    // Some services leave the code out of lists.
    const whole = formula.code == null ? await getFormula(world.send, formula.id) : formula;
    refuseKey(whole, world.send);
    const wanted = formulaFiles(whole);
    if ('problem' in wanted)
      throw new CliError('invalid', `${JSON.stringify(formula.name)} cannot be a folder: ${wanted.problem}`);
    const done = await writeFormula(whole, wanted, path, world);
    const isCopy = linkedTo !== undefined && done.outcome !== 'kept';
    const warnings = isCopy ? [...done.warnings, copyNote(folder, world.shown(linkedTo))] : done.warnings;
    return { folder, path, ...done, warnings };
  } catch (error) {
    const failure = asFailure(error, folder);
    return { folder, path, formula, outcome: 'failed', error: failure, warnings: [] };
  }
}

/** The key is in no file: whoever may read the folder, or the repository that it is in, would have it. */
function refuseKey(formula: Formula, { hide }: Send): void {
  const parts = partsWithKey(formula, hide);
  if (parts.length === 0) return;
  throw new CliError(
    'invalid',
    `the formula ${formula.id} holds the API key in use (in its ${parts.join(', ')}), so nothing of it was written`,
    { hint: 'take the key out of it on the service, and use a new key: whoever can read the formula knows this one' },
  );
}

const copyNote = (folder: string, linkedTo: string) =>
  `note: ${folder} is a copy without an entry in the lock, which names ${linkedTo} for this formula`;

function asFailure(error: unknown, folder: string): CliError {
  if (error instanceof CliError) return error;
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall === undefined) throw error;
  return new CliError('usage', `${folder} cannot be read (${code})`, { cause: error });
}

async function writeFormula(formula: Formula, wanted: FormulaFiles, path: string, world: PullWorld) {
  const folder = world.shown(path);
  const link = findLink(world.root, path, isFormulaFile);
  if (link !== undefined) {
    throw new CliError('usage', `${world.shown(link)} is a symbolic link; nothing is written through it`, {
      hint: 'replace it by a folder or file of its own, or pull into another folder with --dir',
    });
  }
  const isNew = !existsSync(path);
  if (!isNew && !statSync(path).isDirectory())
    throw new CliError('usage', `${folder} is no folder; nothing was written`);
  if (isNew) {
    writeNewFolder(path, folder, newFiles(wanted));
  } else {
    const said = await saidIn(path, world.surroundings);
    const step = planPull({
      formula,
      wanted,
      said,
      seen: world.seen.get(formula.id.toLowerCase()),
      force: world.force,
    });
    if (step.outcome === 'kept')
      return { formula, outcome: step.outcome, error: keptError(folder, step.files, said), warnings: [] };
    if (step.outcome === 'unchanged') return { formula, outcome: step.outcome, warnings: iconWarnings(folder, wanted) };
    writeIntoFolder(path, folder, step.files, step.removed);
  }
  const warnings = [...iconWarnings(folder, wanted), ...(await refusals(folder, path, world.surroundings))];
  return { formula, outcome: 'written' as const, warnings };
}

const isFormulaFile = (name: string) => name === 'manifest.json' || CODE_FILES.includes(name) || isIconName(name);

const newFiles = ({ body, code, icon }: FormulaFiles) => ({
  '.gitattributes': gitAttributes('js'),
  'code.js': code,
  ...(icon && { [icon.name]: icon.bytes }),
  'manifest.json': manifestText(body),
});

async function saidIn(path: string, surroundings: Surroundings): Promise<Said> {
  const contents = readFolder(path);
  const { file, state } = contents.code;
  if (file === 'code.js' || state !== 'read') return saidBy(contents);
  const { bundleCode } = await import('../../code/bundle/bundle.ts');
  return saidBy(contents, (await bundleCode(path, file, surroundings)).bundle?.code);
}

function keptError(folder: string, files: readonly string[], { code }: Said): CliError {
  const differ = files.length === 1 ? 'differs' : 'differ';
  const bundled = code !== undefined && code.file !== 'code.js' && files.includes(code.file) ? code.file : undefined;
  return new CliError(
    'differs',
    bundled === undefined
      ? `${folder} was kept: ${files.join(', ')} ${differ} from the service, and may be changes of yours; --force overwrites`
      : `${folder} was kept: ${files.join(', ')} ${differ} from the service, and the code cannot be written beside ${bundled}`,
  );
}

const iconWarnings = (folder: string, { iconLeftOut }: FormulaFiles) =>
  iconLeftOut === undefined
    ? []
    : [`warning: ${folder}: the icon ${iconLeftOut}; it stays on the service and is no file here`];

/** A service may hold what the rules refuse; it is written as it is, and said. */
async function refusals(folder: string, path: string, surroundings: Surroundings): Promise<string[]> {
  const { findings } = await checkFolder({ typed: folder, path }, surroundings);
  return findings
    .filter(({ level }) => level === 'error')
    .map(({ file, message }) => `warning: ${folder}/${file}: ${message}; so it is on the service`);
}
