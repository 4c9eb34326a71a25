/** The flags of diff and push, read once. */
import { CliError } from '../../../errors.ts';
import { findFlag, parseCount, parseRate } from '../../../session/flags.ts';
import { formatPathArguments, type PathFlags, type SinceFlags } from '../../../session/path-flags.ts';
import type { PlanOptions } from '../../../sync/push/plan-push.ts';
import type { CommandFormatter } from '../../../text/shell-quote.ts';

export interface PushOptions extends PathFlags, SinceFlags, PlanOptions {
  paths: readonly string[];
  maxDeletes: number;
  /** Leave out invalid folders. */
  skipsInvalid: boolean;
  /** False with --no-breaking. */
  allowsBreaking: boolean;
  report: string | undefined;
  isDryRun: boolean;
  /** With --yes. */
  isConfirmed: boolean;
  concurrency: number;
  requestsPerSecond: number | undefined;
  failFast: boolean;
}

/** `breaking`, `lock`, and `history` are false with --no-breaking, --no-lock, --no-history. */
type Switch =
  | ('prune' | 'force' | 'unmanaged' | 'skipInvalid' | 'dryRun' | 'yes' | 'failFast')
  | ('breaking' | 'lock' | 'history');

type PushFlags = PathFlags &
  SinceFlags & { [flag in Switch]?: boolean | undefined } & {
    [flag in 'maxDeletes' | 'report' | 'concurrency' | 'rate']?: string | undefined;
  };

const DEFAULT_MAX_DELETES = 5;
const DEFAULT_CONCURRENCY = 8;

/** The flags of diff and push. Raises usage (2). */
export function parseOptions(paths: readonly string[], flags: PushFlags): PushOptions {
  const { exclude, pathsFrom, pathList, since, at, report, maxDeletes, unmanaged } = flags;
  const { prune = false, force = false, skipInvalid: skipsInvalid = false, failFast = false } = flags;
  const { breaking: allowsBreaking = true, lock: usesLockFiles = true, history = true } = flags;
  const { dryRun: isDryRun = false, yes: isConfirmed = false } = flags;
  if (unmanaged && pathsFrom !== undefined)
    throw new CliError('usage', '--unmanaged cannot be combined with --paths-from');
  const excluded = findFlag(flags, ['since', 'prune', 'unmanaged']);
  if (at !== undefined && excluded) throw new CliError('usage', `--at cannot be combined with ${excluded}`);
  if (prune && !usesLockFiles) throw new CliError('usage', '--prune and --no-lock cannot be used together');
  return {
    ...{ paths, exclude, pathsFrom, pathList, since, at, report },
    ...{ prune, force, skipsInvalid, failFast, allowsBreaking, usesLockFiles, isDryRun, isConfirmed },
    maxDeletes: maxDeletes === '0' ? 0 : (parseCount(maxDeletes, '--max-deletes') ?? DEFAULT_MAX_DELETES),
    concurrency: parseCount(flags.concurrency, '--concurrency') ?? DEFAULT_CONCURRENCY,
    requestsPerSecond: parseRate(flags.rate, '--rate'),
    keptFlags: [
      ...(at === undefined ? [] : ['--at', at]),
      ...(usesLockFiles ? [] : ['--no-lock']),
      ...(history ? [] : ['--no-history']),
    ],
  };
}

/** The same selection and flags as arguments of another command; undefined if standard input was read for the paths. */
export function formatPlanArguments(options: PushOptions): readonly string[] | undefined {
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
  { maxDeletes, ...options }: PushOptions,
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
