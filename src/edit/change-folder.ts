/** Applies changes to the texts of one formula folder, in memory. */
import type { Folder } from '../folder/find-folders.ts';
import { parseManifest } from '../folder/manifest.ts';
import type { FileRead, FolderContents } from '../folder/read.ts';
import type { Finding } from '../rules/rule.ts';
import { decodeUtf8 } from '../text/decode-utf8.ts';
import { type Assigned, assign } from './edit-value.ts';
import { KEY_ORDER, listKeys } from './manifest-schema.ts';
import type { Change, ScriptChange } from './parse-changes.ts';
import { rewriteJson } from './rewrite-json.ts';
import type { ScriptRunner } from './run-script.ts';
import type { ScriptFormula } from './script-protocol.ts';

/** A file with its text before and after, both without a byte order mark. */
export interface ChangedFile {
  file: string;
  before: string;
  after: string;
  hasByteOrderMark: boolean;
}

export interface FolderEdit {
  folderRef: Folder;
  /** `unreadable`: the manifest cannot be edited; `ambiguous`: a KEY matches several elements. */
  state: 'changed' | 'unchanged' | 'skipped' | 'unreadable' | 'ambiguous';
  files: readonly ChangedFile[];
  /** For each change, why it does not apply; undefined if it does. */
  skipped: readonly (string | undefined)[];
  /** The KEYs that the manifest can have. */
  keys: readonly string[];
  problem?: Finding;
}

/** Whether a formula with this name is edited. */
export type NameFilter = (name: string) => boolean;

/** The bytes of a changed file. */
export const encodeChanged = ({ after, hasByteOrderMark }: ChangedFile): Buffer =>
  Buffer.from((hasByteOrderMark ? BYTE_ORDER_MARK : '') + after);

/** Applies the changes in order; undefined if the filter excludes the formula. Raises failed (1) if a script fails. */
export async function changeFolder(
  folderRef: Folder,
  contents: FolderContents,
  changes: readonly Change[],
  { runScript, filter }: { runScript: ScriptRunner; filter?: NameFilter | undefined },
): Promise<FolderEdit | undefined> {
  const [manifest, code] = [openText(contents.manifest), openText(contents.code)];
  const parsed = manifest && parseManifest(manifest.before);
  // With a filter, a formula without a readable name is left out.
  if (!isEditable(parsed)) return filter ? undefined : createUneditedResult(folderRef, 'unreadable');
  const { value: original, locate } = parsed;
  if (filter?.(String(original['name'])) === false) return undefined;
  const changed = await applyChanges({ manifest: original, code: code?.before }, changes, (script, texts) =>
    runScript(script, { folder: folderRef.displayPath, ...texts }),
  );
  if ('ambiguous' in changed)
    return {
      ...createUneditedResult(folderRef, 'ambiguous'),
      problem: ambiguousKey(locate(changed.path), changed.ambiguous),
    };
  const { texts, skipped } = changed;
  const files = [
    manifest && { ...manifest, after: rewriteJson(manifest.before, texts.manifest, KEY_ORDER) },
    code && { ...code, after: texts.code ?? code.before },
  ].filter((file): file is ChangedFile => file !== undefined && file.after !== file.before);
  const isApplied = skipped.includes(undefined);
  const state = files.length > 0 ? 'changed' : isApplied ? 'unchanged' : 'skipped';
  return { folderRef, state, files, skipped, keys: isApplied ? [] : listKeys(original) };
}

type Texts = Pick<ScriptFormula, 'manifest' | 'code'>;

/** Applies all changes; `skipped` has the reason for each that does not apply. */
async function applyChanges(
  original: Texts,
  changes: readonly Change[],
  runScript: (script: ScriptChange, texts: Texts) => Promise<Texts>,
): Promise<{ texts: Texts; skipped: (string | undefined)[] } | Extract<Assigned, { ambiguous: string }>> {
  let texts = original;
  const skipped: (string | undefined)[] = [];
  for (const change of changes) {
    if (change.kind === 'script') {
      texts = await runScript(change, texts);
      skipped.push(undefined);
      continue;
    }
    const assigned = assign(texts.manifest, change);
    if ('ambiguous' in assigned) return assigned;
    if ('manifest' in assigned) texts = { ...texts, manifest: assigned.manifest };
    skipped.push('skipped' in assigned ? assigned.skipped : undefined);
  }
  return { texts, skipped };
}

type Editable = ReturnType<typeof parseManifest> & { value: Record<string, unknown> };

const isEditable = (parsed: ReturnType<typeof parseManifest> | undefined): parsed is Editable =>
  parsed !== undefined &&
  parsed.problems.length === 0 &&
  typeof parsed.value === 'object' &&
  parsed.value !== null &&
  !Array.isArray(parsed.value);

const createUneditedResult = (folderRef: Folder, state: 'unreadable' | 'ambiguous'): FolderEdit => ({
  folderRef,
  state,
  files: [],
  skipped: [],
  keys: [],
});

const BYTE_ORDER_MARK = '\ufeff';

function openText(read: FileRead): Omit<ChangedFile, 'after'> | undefined {
  const decoded = read.state === 'read' ? decodeUtf8(read.bytes) : undefined;
  if (!decoded || !('text' in decoded) || read.state !== 'read') return undefined;
  const hasByteOrderMark = read.bytes.subarray(0, 3).equals(Buffer.from(BYTE_ORDER_MARK));
  return { file: read.file, before: decoded.text, hasByteOrderMark };
}

const ambiguousKey = (position: { line: number; column: number }, message: string): Finding => ({
  file: 'manifest.json',
  ...position,
  level: 'error',
  rule: 'edit-key',
  message: `${message}; use the index of one, such as [0]`,
});
