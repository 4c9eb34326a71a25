/** The plan that diff --out saves and push --plan applies, as JSON. Pure. */
import { findSizeProblem } from '../../api/http/json-body.ts';
import { CliError } from '../../errors.ts';
import { MAX_FILE_BYTES } from '../../files/regular-file.ts';
import { hashContent, toRequestBody } from '../../formula-fields.ts';
import type { FormulaBody } from '../../model.ts';
import { measureJson } from '../../text/measure-json.ts';
import { mergeFormula } from '../merge-formula.ts';
import type { Step } from './plan.ts';

export const SCHEMA_VERSION = 1;
/** Characters of a string that a message may show. */
export const MAX_TEXT = 10_000;
export const MAX_PATHS = 20_000;
export const ACTIONS = ['create', 'update', 'delete', 'conflict'] as const;

export interface PlanFile {
  tool_version: string;
  target: string;
  base_url: string;
  /** The commit that was checked out, for information. */
  commit: string | null;
  /** The commit that --since compared with, an ancestor of HEAD. */
  since?: string;
  /** Made with --force. */
  force?: true;
  /** The paths that were compared. All paths are relative to the repository, with `/`. */
  paths: readonly string[];
  steps: readonly PlannedStep[];
}

export interface PlannedStep {
  action: (typeof ACTIONS)[number];
  folder: string;
  /** The lock file that has, or will have, the id; null if it is not in the repository. */
  lock_file: string | null;
  id: string | null;
  name: string;
  overwrites?: true;
  /** The reason of a conflict. */
  reason?: string;
  /** Hashes of the contents. */
  local_hash: string | null;
  remote_hash: string | null;
  /** What will be sent. */
  local: FormulaBody | null;
  /** What the service had. */
  remote: FormulaBody | null;
}

/** The step as it is saved; `body` is the content of its folder. */
export function toPlannedStep(
  { action, local: folder, remote, overwrites, reason }: Step & { action: PlannedStep['action'] },
  body: FormulaBody | undefined,
  location: Pick<PlannedStep, 'folder' | 'lock_file'>,
): PlannedStep {
  const local = (body && remote ? mergeFormula(body, remote, { removeIcon: false }).body : body) ?? null;
  const before = remote ? toRequestBody(remote) : null;
  return {
    action,
    ...location,
    id: remote?.id ?? null,
    name: (folder ?? remote)?.name ?? '',
    ...(overwrites && { overwrites }),
    ...(reason !== undefined && { reason: reason.slice(0, MAX_TEXT) }),
    local_hash: local && hashContent(local),
    remote_hash: before && hashContent(before),
    local,
    remote: before,
  };
}

/** Raises usage (2) for a plan that is too large to be read again. */
export function formatPlanFile(plan: PlanFile): string {
  const text = `${JSON.stringify({ schema_version: SCHEMA_VERSION, ...plan }, null, 2)}\n`;
  const isReadable = Buffer.byteLength(text) <= MAX_FILE_BYTES && plan.paths.length <= MAX_PATHS;
  if (isReadable && !findSizeProblem(measureJson(Buffer.from(text)))) return text;
  throw new CliError('usage', `a plan with ${plan.steps.length} formulas is too large; no plan was written`, {
    hint: 'Create plans of fewer folders.',
  });
}
