/** Compares earlier versions of a folder with a remote formula. */
import { shouldBundle } from '../../check/check-folder.ts';
import { parseFolderFormula, wholeBody } from '../../folder/folder-formula.ts';
import { type FileRead, type FolderContents, isIconName, toContents } from '../../folder/read.ts';
import { fieldsToChange } from '../../formula-fields.ts';
import type { FolderVersion } from '../../git/objects.ts';
import type { Formula, FormulaBody } from '../../model.ts';
import { sha256 } from '../../text/hash.ts';

/** 'unknown' if manifest and icon are equal, but the bundle of the version is unknown. */
export type VersionMatch = 'same' | 'unknown' | 'different';

/** Bundles the code.ts or code.mjs of a version; undefined if the bundle is unknown. */
export type BundleVersion = (file: string) => Promise<string | undefined>;

/** Whether a push of the version would have changed nothing of the remote formula. `bundle` bundles its code.ts or code.mjs. */
export async function compareVersion(
  committed: FolderVersion,
  remote: Formula,
  bundle: BundleVersion,
): Promise<VersionMatch> {
  const isEqual = (body: Partial<FormulaBody>) => fieldsToChange(body as FormulaBody, remote).length === 0;
  const version = resolvePointers(committed, remote);
  const contents = readVersion(version);
  if (!shouldBundle(contents)) return toBodies(version).some(isEqual) ? 'same' : 'different';
  const body = wholeBody(parseFolderFormula(contents, ''));
  if (!body) return 'different';
  const { code: _, ...others } = body;
  if (!isEqual(others)) return 'different';
  const code = await bundle(contents.code.file);
  if (code === undefined) return 'unknown';
  return isEqual({ code }) ? 'same' : 'different';
}

const LFS_POINTER = /^version https:\/\/git-lfs\.github\.com\/spec\/[\s\S]*^oid sha256:([0-9a-f]{64})$/m;
const MAX_POINTER_BYTES = 1024;

/** The SHA-256 hash of the content that a pointer of Git LFS stands for. */
export const findPointerHash = (bytes: Buffer): string | undefined =>
  bytes.length <= MAX_POINTER_BYTES ? LFS_POINTER.exec(bytes.toString('utf8'))?.[1] : undefined;

/** With Git LFS, a commit contains a pointer with the hash of an icon; the remote icon of this hash takes its place. */
function resolvePointers(version: FolderVersion, { icon }: Formula): FolderVersion {
  const remoteIcon = Buffer.from(icon?.split(',')[1] ?? '', 'base64');
  const hash = sha256(remoteIcon).toString('hex');
  const isPointer = (name: string, bytes: Buffer) => isIconName(name) && findPointerHash(bytes) === hash;
  return new Map([...version].map(([name, bytes]) => [name, isPointer(name, bytes) ? remoteIcon : bytes]));
}

/** The bodies that the version may have been sent as. */
export async function loadBodies(version: FolderVersion, bundle: BundleVersion): Promise<FormulaBody[]> {
  const contents = readVersion(version);
  if (!shouldBundle(contents)) return toBodies(version);
  const body = wholeBody(parseFolderFormula(contents, await bundle(contents.code.file)));
  return body ? [body] : [];
}

/** The bodies that the version may have been sent as, without bundles: git may convert line endings. */
function toBodies(version: FolderVersion): FormulaBody[] {
  const body = wholeBody(parseFolderFormula(readVersion(version)));
  const code = body?.code.replace(/\r?\n/g, '\r\n');
  return body && code !== undefined ? [body, ...(code === body.code ? [] : [{ ...body, code }])] : [];
}

function readVersion(version: FolderVersion): FolderContents {
  const entries = [...version.keys()].map((name) => ({ name, kind: 'file' as const }));
  const read = (file: string): FileRead => {
    const bytes = version.get(file);
    return bytes ? { state: 'read', file, bytes } : { state: 'missing', file };
  };
  return { ...toContents(entries, read), folder: '', tests: [] };
}
