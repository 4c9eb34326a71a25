/** Plans the step of one folder. Pure. */
import type { LocalFormula } from '../../check/local-formula.ts';
import { CliError } from '../../errors.ts';
import { fieldsToChange } from '../../formula-fields.ts';
import type { Formula } from '../../model.ts';
import { formatChangedReason } from '../../state/remote-baseline.ts';
import { toPathArgument } from '../../text/shell-quote.ts';
import { listPreserved } from '../merge-formula.ts';
import { formatConflictHint } from './conflict-hint.ts';
import type { Matcher } from './match.ts';
import type { PlanInput, PlanOptions, Step } from './plan.ts';

/** Matches a folder with a formula, by its link, otherwise by the exact name. */
export function planFolder(local: LocalFormula, input: PlanInput, matcher: Matcher, options: PlanOptions): Step {
  const { path } = local;
  const id = input.ids.get(path);
  const linked = id === undefined ? undefined : matcher.findById(id);
  if (linked) return planUpdate({ path, local, remote: linked }, input, matcher, options);
  const missingId = id === undefined ? {} : { missingId: id };
  const candidates = matcher.findByName(local.name).filter((remote) => (matcher.findOwner(remote) ?? path) === path);
  const [remote, ...more] = candidates;
  if (more.length > 0) {
    const ids = candidates.map((one) => one.id).join(', ');
    return {
      action: 'conflict',
      path,
      local,
      fields: [],
      ...missingId,
      reason: `${candidates.length} formulas have this name (${ids})`,
      hint: `To link the folder to one of them, run: ${options.command('formula link', toPathArgument(local.folder), 'ID')}`,
    };
  }
  assertComplete(input, `which formula ${local.folder} is`, options);
  if (remote) return { ...planUpdate({ path, local, remote }, input, matcher, options), adopted: true, ...missingId };
  const conflict = findNameInUse(local, input, matcher, options);
  if (conflict) return { action: 'conflict', path, local, fields: [], ...missingId, ...conflict };
  return { action: 'create', path, local, fields: [], ...missingId };
}

/** Raises unavailable (8) for an incomplete list, which proves no absence. `question` follows "could not tell". */
export function assertComplete({ remotes }: PlanInput, question: string, { command }: PlanOptions): void {
  if (remotes.incompleteReason === undefined) return;
  throw new CliError('unavailable', `could not tell ${question}: ${remotes.incompleteReason}`, {
    hint: `To set which formula a folder is, run: ${command('formula link', 'DIR', 'ID')}`,
  });
}

/** Why a formula of this name cannot be created, and what to do. */
function findNameInUse(
  { name, type, folder }: LocalFormula,
  { remotes }: PlanInput,
  matcher: Matcher,
  { command, formatFolder }: PlanOptions,
): Pick<Step, 'reason' | 'hint'> | undefined {
  const official = type === 'official' && remotes.items.find((one) => one.type === 'official' && one.name === name);
  if (official) {
    return {
      reason: 'an official formula has this name already, and push does not match official formulas',
      hint: `To update it, run: ${command('formula update', official.id, toPathArgument(folder))}`,
    };
  }
  // A formula that another folder of this plan renames does not count.
  const isRenamed = (remote: Formula) => matcher.listLinkedNames(remote).some((linkedName) => linkedName !== name);
  const owner = matcher.findByName(name).find((remote) => !isRenamed(remote));
  if (!owner) return undefined;
  const other = formatFolder(matcher.findOwner(owner) ?? '');
  return {
    reason: `the formula of this name (${owner.id}) is linked to ${other}`,
    hint: `Change the name in manifest.json.\nTo unlink the other folder, run: ${command('formula unlink', toPathArgument(other))}`,
  };
}

function planUpdate(
  pair: { path: string; local: LocalFormula; remote: Formula },
  input: PlanInput,
  matcher: Matcher,
  options: PlanOptions,
): Step {
  const { local, remote } = pair;
  const fields = fieldsToChange(local, remote);
  if (fields.length === 0) return { action: 'keep', ...pair, fields };
  const isRenamed = fields.includes('name');
  const preserved = listPreserved(local, remote);
  const state = input.compare(pair.path, remote);
  const conflict: Pick<Step, 'reason' | 'hint'> | undefined =
    state === 'changed' && !options.force
      ? { reason: formatChangedReason(remote, options.since), hint: formatHint(pair, fields, input, options) }
      : findNameConflict(pair, isRenamed, matcher, options);
  if (!conflict && isRenamed) {
    assertComplete(input, `whether the new name of ${local.folder} is in use`, options);
  }
  return {
    action: conflict ? 'conflict' : 'update',
    ...pair,
    fields,
    ...(preserved.length > 0 && { preserved }),
    ...(isRenamed && { renamedFrom: remote.name }),
    ...(state !== 'same' && { overwrites: true }),
    ...conflict,
  };
}

function formatHint(
  { path, local, remote }: { path: string; local: LocalFormula; remote: Formula },
  fields: Step['fields'],
  { ids }: PlanInput,
  { command, keptFlags = [] }: PlanOptions,
): string {
  const folder = { folder: local.folder, path, name: local.name, linkedId: ids.get(path), fields };
  const overwrite = command('formula push', toPathArgument(local.folder), '--force', ...keptFlags);
  return formatConflictHint(folder, remote, command, overwrite);
}

function findNameConflict(
  { local }: { local: LocalFormula },
  isRenamed: boolean,
  matcher: Matcher,
  { command, formatFolder }: PlanOptions,
): Pick<Step, 'reason' | 'hint'> | undefined {
  const sameNamed =
    isRenamed && matcher.findByName(local.name).find((other) => matcher.listLinkedNames(other).length === 0);
  if (!sameNamed) return undefined;
  const reason = `the new name is in use by another formula (${sameNamed.id})`;
  const owner = matcher.findOwner(sameNamed);
  if (owner !== undefined) {
    return {
      reason: `${reason}, which is linked to ${formatFolder(owner)}`,
      hint: 'Change the name in one of the two manifests.',
    };
  }
  return {
    reason,
    hint: `To link the folder to it, run: ${command('formula link', toPathArgument(local.folder), sameNamed.id)}\nTo delete it, run: ${command('formula delete', sameNamed.id)}`,
  };
}
