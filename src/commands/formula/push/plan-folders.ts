/** Plans what push does with checked folders, and prints the warnings about it. */
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { readFolderFormula } from '../../../check/check-folder.ts';
import { CliError } from '../../../errors.ts';
import { parseFolderFormula, wholeBody } from '../../../folder/folder-formula.ts';
import { readManifestName } from '../../../folder/manifest.ts';
import type { FormulaBody } from '../../../model.ts';
import { escapeControls } from '../../../output/escape.ts';
import { annotateManifest } from '../../../session/annotations.ts';
import type { Connection } from '../../../session/connection.ts';
import type { Session } from '../../../session/session.ts';
import { getSurroundings } from '../../../state/xdg-paths.ts';
import { findTops } from '../../../sync/link-files.ts';
import { formatBreakingChanges } from '../../../sync/push/breaking-changes.ts';
import { OVERWRITES } from '../../../sync/push/changes.ts';
import { type Step, type StepResult, toResult } from '../../../sync/push/plan.ts';
import { type PushPlan, planPush } from '../../../sync/push/plan-push.ts';
import { listPaths, type SelectedTree } from '../../../sync/since.ts';
import { openTracking } from '../../../sync/tracking.ts';
import { listFirst } from '../../../text/shorten.ts';
import { type CheckedTree, findInvalid, isInvalid, printInvalid } from './check-folders.ts';
import type { PushOptions } from './options.ts';

/** What remains of a tree without its invalid folders; undefined if they block the others. */
interface Settled {
  tree?: SelectedTree;
  /** The results of invalid folders; if they block, of all. */
  invalid: StepResult[];
}

/** Leaves out invalid folders, except those that are equal to what the service has, and prints their findings. */
export async function settleFolders(tree: CheckedTree, options: PushOptions, session: Session): Promise<Settled> {
  const unchanged = tree.folders.length === 0 ? [] : (tree.since?.unchangedFolders ?? []);
  const others = unchanged.map((folder) => ({ folder, name: readManifestName(folder.path) ?? null }));
  const all = [...tree.folders, ...others];
  const equal = findInvalid(tree.folders, all)
    ? await findEqual(tree, options, session)
    : new Map<string, FormulaBody>();
  await printInvalid(tree, equal, session);
  const folders = tree.folders.map((one) => ({ ...one, body: one.body ?? equal.get(one.folder.path) }));
  return leaveOut({ ...tree, folders }, findInvalid(folders, all), options);
}

function leaveOut(
  tree: SelectedTree,
  results: StepResult[] | undefined,
  { skipsInvalid, prune }: PushOptions,
): Settled {
  if (!results) return { tree, invalid: [] };
  if (!skipsInvalid || prune) return { invalid: results };
  const invalid = results.filter(isInvalid).map((one) => ({
    ...one,
    error: one.error ?? new CliError('invalid', `${one.folder.displayPath} is invalid and was left out`),
  }));
  const paths = new Set(invalid.map(({ folder }) => folder.path));
  return { tree: { ...tree, folders: tree.folders.filter(({ folder }) => !paths.has(folder.path)) }, invalid };
}

/** The contents of invalid folders that the service has; none if other invalid folders block anyway. */
async function findEqual(
  tree: SelectedTree,
  options: PushOptions,
  session: Session,
): Promise<Map<string, FormulaBody>> {
  const bodies = new Map<string, FormulaBody>();
  const invalid = tree.folders.filter(({ body }) => !body);
  for (const { folder } of invalid) {
    // A name that is not UTF-8 cannot be read.
    if (!tree.at && !existsSync(folder.path)) continue;
    const committed = (await tree.at?.readFolders([folder]))?.get(folder.path);
    const formula = committed
      ? parseFolderFormula(committed)
      : await readFolderFormula(folder.path, getSurroundings(session.host));
    const body = wholeBody(formula);
    if (body) bodies.set(folder.path, body);
  }
  if (bodies.size === 0 || (bodies.size < invalid.length && !options.skipsInvalid)) return new Map();
  const folders = tree.folders.flatMap((one) => {
    const body = one.body ?? bodies.get(one.folder.path);
    return body ? [{ ...one, body, findings: [] }] : [];
  });
  try {
    const quiet = { ...session, warn: () => undefined };
    const { plan } = await planFolders({ ...tree, folders }, await session.connect(), options, quiet);
    const kept = new Set(plan?.steps.flatMap(({ action, folder }) => (action === 'keep' ? [folder.path] : [])));
    return new Map([...bodies].filter(([path]) => kept.has(path)));
  } catch (error) {
    // The folders are invalid, whatever became of the requests.
    if (error instanceof CliError && error.outcome !== 'interrupted') return new Map();
    throw error;
  }
}

/** The plan, undefined if the invalid folders block it, and their results. */
export interface PlannedFolders {
  plan?: PushPlan;
  invalid: StepResult[];
}

/** Raises the errors of `planPush`, and invalid (3) for an invalid lock file. */
export async function planFolders(
  tree: SelectedTree,
  { client, target }: Pick<Connection, 'client' | 'target'>,
  options: PushOptions,
  { host, warn }: Session,
): Promise<PlannedFolders> {
  const folders = listPaths(tree);
  const searchBelow = options.prune ? 'strict' : undefined;
  // A folder of a commit need not exist: its lock file is found as if it did.
  const isFolderOfCommit = (root: string) => tree.at !== undefined && folders.includes(root);
  const roots = tree.roots.map((root) => (isFolderOfCommit(root) ? dirname(root) : root));
  const tracking = options.usesLockFiles
    ? openTracking(roots, target, host, warn, { folders, searchBelow, repositories: findTops(tree.roots, host) })
    : openTracking([], target, host, warn);
  const others = (tree.since?.unchangedFolders ?? []).map((folder) => ({ folder, name: null }));
  const doubled = findInvalid(tree.folders, [...tree.folders, ...others], 'id in the lock', ({ folder }) =>
    tracking.ids.get(folder.path)?.toLowerCase(),
  );
  const { tree: rest, invalid } = leaveOut(tree, doubled, options);
  if (!rest) return { invalid };
  const plan = await planPush(rest, tracking, client, options, host);
  // What the service had when the folders were settled, and has no longer.
  const changed = new Set(plan.steps.flatMap(({ action, folder }) => (action === 'keep' ? [] : [folder.path])));
  const late = rest.folders.filter(
    ({ folder, findings }) => changed.has(folder.path) && findings.some(({ level }) => level === 'error'),
  );
  return late.length === 0
    ? { plan, invalid }
    : { invalid: late.map(({ folder, name, findings }) => ({ folder, name, findings, outcome: 'invalid' as const })) };
}

/**
 * Prints the notes of a plan, one warning for all steps that replace remote versions which are not known to be earlier
 * versions of their folders, and one for all breaking changes; in GitHub Actions annotates their manifests.
 */
export function printWarnings({ notes, steps, isShallow }: PushPlan, { host, warn }: Session): void {
  notes.forEach(warn);
  const overwriting = steps.filter(({ action, overwrites }) => overwrites && action !== 'conflict');
  const cause = isShallow ? ' (the git history is shallow; in CI, set fetch-depth: 0)' : '';
  if (overwriting.length > 0) warn(escapeControls(`warning: ${formatOverwriting(overwriting)}${cause}`));
  for (const { folder, body } of overwriting)
    if (body) annotateManifest(folder.displayPath, host, { level: 'warning', rule: 'overwrites', message: OVERWRITES });
  const breaking = steps.filter((step) => step.breaking);
  const [first, ...others] = breaking;
  const message = first && others.length === 0 ? formatBreaking(first) : formatBreakingFolders(breaking);
  if (first) warn(escapeControls(`warning: ${message}`));
  for (const step of breaking)
    annotateManifest(step.folder.displayPath, host, {
      ...{ level: 'warning', rule: 'breaking' },
      message: formatBreaking(step),
    });
}

const listFolders = (steps: readonly Step[]) => listFirst(steps.map(({ folder }) => folder.displayPath));

const formatOverwriting = (steps: readonly Step[]) =>
  steps.length === 1
    ? `1 folder ${OVERWRITES}: ${listFolders(steps)}`
    : `${steps.length} folders overwrite remote versions that may contain changes by others: ${listFolders(steps)}`;

/** `a breaks existing reactors: …` */
const formatBreaking = ({ folder, breaking = [] }: Step) => `${folder.displayPath} ${formatBreakingChanges(breaking)}`;

/** `2 formulas have breaking changes: a, b` */
const formatBreakingFolders = (steps: readonly Step[]) =>
  `${steps.length === 1 ? '1 formula has' : `${steps.length} formulas have`} breaking changes: ${listFolders(steps)}`;

/** Raises invalid (3) for breaking changes with --no-breaking; the warning tells which. */
export function assertNotBreaking({ steps }: PushPlan, { allowsBreaking }: PushOptions): void {
  const breaking = steps.filter((step) => step.breaking);
  if (allowsBreaking || breaking.length === 0) return;
  throw breakingError(formatBreakingFolders(breaking));
}

/** The results of a plan with breaking changes, for --no-breaking; undefined if it may be applied. */
export function findBreaking({ steps }: PushPlan, { allowsBreaking }: PushOptions): StepResult[] | undefined {
  if (allowsBreaking || !steps.some(({ breaking }) => breaking)) return undefined;
  return steps.map((step) =>
    step.breaking
      ? toResult(step, 'invalid', { error: breakingError(formatBreaking(step)) })
      : toResult(step, 'not_started'),
  );
}

const breakingError = (message: string) =>
  new CliError('invalid', escapeControls(message), {
    hint: 'To publish breaking changes, run the command without --no-breaking.',
  });
