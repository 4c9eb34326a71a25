/** Reads the plan of push --plan FILE, and checks what it can be combined with. */
import { resolve } from 'node:path';
import { CliError } from '../../../errors.ts';
import { fileUsageError } from '../../../files/file-errors.ts';
import { readRegularFile } from '../../../files/regular-file.ts';
import type { Host } from '../../../host/host.ts';
import { escapeControls } from '../../../output/escape.ts';
import type { Connection } from '../../../session/connection.ts';
import { type PlanFile, parsePlanFile } from '../../../sync/push/plan-file.ts';

/** The flags that a plan decides. */
const EXCLUDED_FLAGS = ['dryRun', 'prune', 'force', 'since', 'exclude', 'pathsFrom', 'yes'] as const;

export type ExcludedFlags = { readonly [flag in (typeof EXCLUDED_FLAGS)[number]]?: unknown };

/** Raises usage (2) for a path, or a flag, that cannot be used with --plan. */
export function assertPlanAlone(paths: readonly string[], flags: ExcludedFlags): void {
  const flag = EXCLUDED_FLAGS.find((name) => flags[name] !== undefined);
  if (paths.length === 0 && flag === undefined) return;
  const name = flag?.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  throw new CliError('usage', `--plan cannot be combined with ${name === undefined ? 'a path' : `--${name}`}`);
}

/** Raises usage (2) for a file that cannot be read, invalid (3) for one that is not a plan. */
export function readPlanFile(typedPath: string, host: Host): PlanFile {
  let bytes: Buffer;
  try {
    bytes = readRegularFile(resolve(host.cwd(), typedPath));
  } catch (error) {
    throw fileUsageError(`could not read the plan ${typedPath}`, error);
  }
  return parsePlanFile(bytes, typedPath);
}

/** Raises usage (2) for a plan for another base URL or target. */
export function assertSameService(plan: PlanFile, file: string, { lockName, target }: Connection): void {
  const [what, planned, actual] =
    plan.base_url === lockName ? ['target', plan.target, target.name] : ['base URL', plan.base_url, lockName];
  if (planned === actual) return;
  throw new CliError('usage', `the plan ${file} is for another ${what}: ${escapeControls(planned)} (got ${actual})`, {
    hint: `Use the ${what} of the plan, or create a plan for this one with formula diff --out.`,
  });
}
