/** Applies changes to the manifest of one formula folder, in memory. */
import type { CheckResult } from '../check/check-folder.ts';
import type { CliError } from '../errors.ts';
import type { Folder } from '../folder/find-folders.ts';
import { parseManifest } from '../folder/manifest.ts';
import { decodeFile, type FolderContents } from '../folder/read.ts';
import type { Finding } from '../rules/rule.ts';
import { isObject } from '../text/json-type.ts';
import { type Change, type ChangeResult, changeManifest } from './change-manifest.ts';
import { listKeys } from './manifest-schema.ts';

/** The manifest before and after, both without a byte order mark. */
export interface ChangedManifest {
  before: string;
  after: string;
  hasByteOrderMark: boolean;
}

export const EDIT_OUTCOMES = ['edited', 'would_edit', 'unchanged', 'skipped', 'invalid'] as const;

/** What became of a folder: first the changes in memory, then what was checked and written. */
export interface EditResult {
  folder: Folder;
  outcome: (typeof EDIT_OUTCOMES)[number];
  /** If it changes. */
  manifest?: ChangedManifest;
  /** For each change, why it does not apply; undefined if it does. */
  skipped: readonly (string | undefined)[];
  /** The KEYs that the manifest can have. */
  keys: readonly string[];
  /** A KEY matches several elements. */
  problem?: Finding;
  checked?: CheckResult;
  /** Why the folder could not be written. */
  error?: CliError;
}

const BYTE_ORDER_MARK = '\ufeff';

/** The bytes of a text of a manifest. */
export const encodeManifest = ({ hasByteOrderMark }: ChangedManifest, text: string): Buffer =>
  Buffer.from((hasByteOrderMark ? BYTE_ORDER_MARK : '') + text);

/** Applies the changes in order; undefined if `filter` excludes the formula's name. */
export function changeFolder(
  folder: Folder,
  { manifest: read }: FolderContents,
  changes: readonly Change[],
  filter?: (name: string) => boolean,
): EditResult | undefined {
  const before = decodeFile(read);
  const parsed = before === undefined ? undefined : parseManifest(before);
  const invalid: EditResult = { folder, outcome: 'invalid', skipped: [], keys: [] };
  // With a filter, a formula without a readable name is left out.
  if (before === undefined || !parsed || parsed.problems.length > 0 || !isObject(parsed.value))
    return filter ? undefined : invalid;
  if (filter?.(String(parsed.value['name'])) === false) return undefined;
  const changed = applyChanges(before, changes);
  if ('ambiguous' in changed) {
    return { ...invalid, problem: createAmbiguousFinding(parsed.locate(changed.path), changed.ambiguous) };
  }
  const { after, skipped } = changed;
  const isApplied = skipped.includes(undefined);
  const keys = isApplied ? [] : listKeys(parsed.value);
  if (after === before) return { folder, outcome: isApplied ? 'unchanged' : 'skipped', skipped, keys };
  const hasByteOrderMark = read.state === 'read' && read.bytes.subarray(0, 3).equals(Buffer.from(BYTE_ORDER_MARK));
  return { folder, outcome: 'would_edit', manifest: { before, after, hasByteOrderMark }, skipped, keys };
}

/** `skipped` has, for each change that does not apply, the reason. */
function applyChanges(
  before: string,
  changes: readonly Change[],
): { after: string; skipped: (string | undefined)[] } | Extract<ChangeResult, { ambiguous: string }> {
  let after = before;
  const skipped: (string | undefined)[] = [];
  for (const change of changes) {
    const result = changeManifest(after, change);
    if ('ambiguous' in result) return result;
    if ('text' in result) after = result.text;
    skipped.push('skipped' in result ? result.skipped : undefined);
  }
  return { after, skipped };
}

const createAmbiguousFinding = (position: { line: number; column: number }, message: string): Finding => ({
  file: 'manifest.json',
  ...position,
  level: 'error',
  rule: 'edit-key',
  message: `${message}; use the index of one, such as [0]`,
});
