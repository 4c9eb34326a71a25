/** Waits until links and baselines are written. */
import { CliError } from '../errors.ts';
import { describeFsError, isInUse } from '../files/file-errors.ts';
import { LOCKFILE } from '../folder/lockfile.ts';
import type { Host } from '../host/host.ts';
import type { NamedFormula } from '../model.ts';
import type { TargetName } from '../settings/resolve-target.ts';
import type { Baselines } from '../state/baseline-file.ts';
import type { SharedJson } from '../state/shared-json.ts';
import { FUTURE_CHANGES_UNDETECTED, toStateProblem, warnAboutState } from '../state/state-folder.ts';
import { getStateFolder } from '../state/xdg-paths.ts';
import { listFirst } from '../text/shorten.ts';
import type { Links } from './links.ts';

interface FlushOptions {
  /** The formulas that were created, renamed, or deleted. */
  changed?: readonly NamedFormula[];
  /** What to do if the lock file cannot be written and formulas changed. */
  hint?: string | undefined;
}

/**
 * Raises partial (7) if the lock file of the project cannot be written although formulas were created, renamed, or
 * deleted; otherwise warns.
 */
export async function flushTracking(
  links: Links,
  baselines: SharedJson<Baselines> | undefined,
  { isShared }: TargetName,
  host: Host,
  warn: (text: string) => void,
  { changed = [], hint }: FlushOptions = {},
): Promise<void> {
  const toError = (error: unknown) => error;
  const lockfileError = await links.flush().catch(toError);
  const baselinesError = await baselines?.flush().catch(toError);
  if (lockfileError !== undefined && isShared) {
    if (changed.length > 0) throw lockfileWriteError(lockfileError, changed, hint);
    warn(
      `warning: ${LOCKFILE} could not be written: ${describeFsError(lockfileError)}; no formula was created, renamed, or deleted`,
    );
  }
  const error = baselinesError ?? (isShared ? undefined : lockfileError);
  if (error !== undefined) {
    const problem = toStateProblem(getStateFolder(host) ?? '', 'write', error);
    warnAboutState(host, problem, FUTURE_CHANGES_UNDETECTED, warn);
  }
}

const MAX_SHOWN = 20;

function lockfileWriteError(cause: unknown, changed: readonly NamedFormula[], ownHint: string | undefined): CliError {
  const shown = changed.map(({ id, name }) => `${JSON.stringify(name)} (${id})`);
  const message = `could not write ${LOCKFILE}: ${describeFsError(cause)}; its entries are missing or out of date for: ${listFirst(shown, MAX_SHOWN)}`;
  const hint =
    ownHint ??
    `${isInUse(cause) ? 'Close that program' : 'Make the file and its folder writable'}, and run the command again, or pass --no-lock.`;
  return new CliError('partial', message, { hint, details: { ids: changed.map(({ id }) => id) }, cause });
}
