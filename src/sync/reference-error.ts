/** Why a reference of the command line cannot be used, and what to do. */
import { CliError } from '../errors.ts';
import type { ReferenceProblem } from '../git/changes.ts';
import type { Host } from '../host/host.ts';
import { shellQuotePath } from '../text/shell-quote.ts';

interface UsedReference {
  flag: '--since' | '--at' | '--compare';
  reference: string;
  /** The repository, or a folder in none. */
  folder: string;
}

/** A usage error (2) with the command that fixes it. */
export function createReferenceError(
  problem: ReferenceProblem,
  { flag, reference, folder }: UsedReference,
  { platform }: Pick<Host, 'platform'>,
): CliError {
  const range = /^([^.].*?)\.{2,3}/.exec(reference)?.[1];
  const without = `Run the command without ${flag}.`;
  const git = `git -C ${shellQuotePath(folder, platform)}`;
  const [message, hint] = {
    'not-a-repository': [`${folder} is not in a git repository`, without],
    'zero-reference': [`${reference} is not a commit: a new branch has none before it`, without],
    'unknown-reference': [
      `the repository ${folder} has no commit "${reference}"`,
      range === undefined ? `To fetch it, run: ${git} fetch --all --tags` : `Pass one commit: ${flag} ${range}`,
    ],
    'no-commits': [`${folder} has no commits yet`, without],
    shallow: [
      `the history of ${folder} is shallow and does not reach "${reference}"`,
      `To fetch the complete history, run: ${git} fetch --unshallow\nIn GitHub Actions, set fetch-depth: 0.`,
    ],
    unrelated: [`"${reference}" and HEAD have no commit in common`, `To list the branches, run: ${git} branch --all`],
    submodule: [`${folder} is a git submodule, which ${flag} does not support`, without],
    'dubious-ownership': [
      `git refuses ${folder}: another user owns it`,
      `To trust it, run: git config --global --add safe.directory ${shellQuotePath(folder, platform)}`,
    ],
    failed: [`git failed: ${problem.error}`, `To see the error, run: ${git} status`],
    unsafe: [
      `${folder} is not safe to compare: ${problem.error}`,
      `To see its filters, run: ${git} config --get-regexp '^filter'`,
    ],
  }[problem.kind];
  const failed = flag === '--since' ? 'determine what changed since' : 'read the formulas of';
  return new CliError('usage', `could not ${failed} "${reference}": ${message}`, { hint });
}
