/** The flags of diff and push, read once. */
import { CliError } from '../../../errors.ts';
import { parseCount, parseRate } from '../../../session/flags.ts';
import { formatPathArguments, type PathFlags, type SinceFlags } from '../../../session/path-flags.ts';
import type { CommandFormatter } from '../../../text/shell-quote.ts';

/** What is planned. */
export interface PlanOptions extends PathFlags, SinceFlags {
  paths: readonly string[];
  prune: boolean;
  /** Overwrite changes by others. */
  force: boolean;
  maxDeletes: number;
  /** Leave out invalid folders. */
  skipsInvalid: boolean;
  /** False with --no-breaking. */
  allowsBreaking: boolean;
  usesLockFiles: boolean;
  /** Flags that a push to resolve a conflict needs too. */
  keptFlags: readonly string[];
  report: string | undefined;
}

export interface PushOptions extends PlanOptions {
  isDryRun: boolean;
  /** With --yes. */
  isConfirmed: boolean;
  concurrency: number;
  requestsPerSecond: number | undefined;
  failFast: boolean;
}

interface PlanFlags extends PathFlags, SinceFlags {
  prune?: boolean | undefined;
  force?: boolean | undefined;
  maxDeletes?: string | undefined;
  report?: string | undefined;
  unmanaged?: boolean | undefined;
  skipInvalid?: boolean | undefined;
  dryRun?: boolean | undefined;
  yes?: boolean | undefined;
  concurrency?: string | undefined;
  rate?: string | undefined;
  failFast?: boolean | undefined;
  /** False with --no-breaking, --no-lock, --no-history. */
  breaking?: boolean | undefined;
  lock?: boolean | undefined;
  history?: boolean | undefined;
}

const DEFAULT_MAX_DELETES = 5;
const DEFAULT_CONCURRENCY = 8;

/** Raises usage (2), as `parsePushOptions`. */
export function parsePlanOptions(
  paths: readonly string[],
  { exclude, pathsFrom, pathList, since, at, report, unmanaged, maxDeletes, ...flags }: PlanFlags,
): PlanOptions {
  if (unmanaged && pathsFrom !== undefined)
    throw new CliError('usage', '--unmanaged cannot be combined with --paths-from');
  const excluded = Object.entries({ since, prune: flags.prune, unmanaged }).find(([, value]) => value !== undefined);
  if (at !== undefined && excluded) throw new CliError('usage', `--at cannot be combined with --${excluded[0]}`);
  return {
    paths,
    exclude,
    pathsFrom,
    pathList,
    since,
    at,
    prune: flags.prune ?? false,
    force: flags.force ?? false,
    skipsInvalid: flags.skipInvalid ?? false,
    maxDeletes: maxDeletes === '0' ? 0 : (parseCount(maxDeletes, '--max-deletes') ?? DEFAULT_MAX_DELETES),
    allowsBreaking: flags.breaking !== false,
    usesLockFiles: true,
    keptFlags: at === undefined ? [] : ['--at', at],
    report,
  };
}

export function parsePushOptions(paths: readonly string[], flags: PlanFlags): PushOptions {
  const usesLockFiles = flags.lock !== false;
  const options = parsePlanOptions(paths, flags);
  if (options.prune && !usesLockFiles) throw new CliError('usage', '--prune and --no-lock cannot be used together');
  return {
    ...options,
    usesLockFiles,
    keptFlags: [
      ...options.keptFlags,
      ...(usesLockFiles ? [] : ['--no-lock']),
      ...(flags.history === false ? ['--no-history'] : []),
    ],
    isDryRun: flags.dryRun ?? false,
    isConfirmed: flags.yes ?? false,
    concurrency: parseCount(flags.concurrency, '--concurrency') ?? DEFAULT_CONCURRENCY,
    requestsPerSecond: parseRate(flags.rate, '--rate'),
    failFast: flags.failFast ?? false,
  };
}

/** The same selection and flags as arguments of another command; undefined if standard input was read for the paths. */
export function formatPlanArguments(options: PlanOptions): readonly string[] | undefined {
  const selection = formatPathArguments(options.paths, options);
  const { prune, force, skipsInvalid, allowsBreaking } = options;
  const flags = {
    '--prune': prune,
    '--force': force,
    '--skip-invalid': skipsInvalid,
    '--no-breaking': !allowsBreaking,
  };
  return selection && [...selection, ...Object.entries(flags).flatMap(([flag, isSet]) => (isSet ? [flag] : []))];
}

/** Raises usage (2) for more deletions than --max-deletes allows. */
export function assertDeletionsAllowed(
  count: number,
  { maxDeletes, ...options }: PlanOptions,
  { subject, notDone }: { subject: string; notDone: string },
  command?: CommandFormatter,
): void {
  if (count <= maxDeletes) return;
  const selection = formatPathArguments(options.paths, options);
  const show = command && selection && `To see them, run: ${command('formula diff', ...selection, '--prune')}`;
  const formulas = count === 1 ? 'formula' : 'formulas';
  throw new CliError(
    'usage',
    `${subject} would delete ${count} ${formulas}, more than --max-deletes ${maxDeletes}; ${notDone}`,
    { hint: [...(show ? [show] : []), `To delete them, pass --max-deletes ${count}.`].join('\n') },
  );
}
