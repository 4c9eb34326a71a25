/** Asks git which remote versions are earlier versions of their folders: a colleague pushed what is in HEAD or before. */

import { toRelative } from '../../files/paths.ts';
import { isWorkingCopy, listAncestors } from '../../files/repository.ts';
import { parseFolderFormula, wholeBody } from '../../folder/folder-formula.ts';
import { CODE_FILES, type FileRead, type FolderContents, isIconName } from '../../folder/read.ts';
import { fieldsToChange } from '../../formula-content.ts';
import { readFolderHistories } from '../../git/folder-history.ts';
import type { FolderVersion } from '../../git/objects.ts';
import type { Host } from '../../host/host.ts';
import type { Formula } from '../../model.ts';

/** A folder (absolute and real) and the remote formula that it would replace or delete. */
export interface FolderPair {
  path: string;
  remote: Formula;
}

export interface Ancestors {
  /** The folders whose remote version is their content in HEAD or in one of the last 20 commits that changed them. */
  foldersAhead: ReadonlySet<string>;
  /** Whether a repository does not have all commits, so that others may be missing. */
  isShallow: boolean;
}

/** Limits how many old versions are in memory at once. */
const MAX_FOLDERS = 100;

/** Folders with code.ts or code.mjs are never among them: what their commits were bundled to is not known. */
export async function findAncestors(pairs: readonly FolderPair[], { env }: Host): Promise<Ancestors> {
  const byTop = new Map<string, FolderPair[]>();
  for (const pair of pairs) {
    const top = listAncestors(pair.path).find(isWorkingCopy);
    if (top !== undefined) byTop.set(top, [...(byTop.get(top) ?? []), pair]);
  }
  const foldersAhead = new Set<string>();
  let isShallow = false;
  for (const [top, inTop] of byTop) {
    for (let i = 0; i < inTop.length; i += MAX_FOLDERS) {
      const chunk = inTop.slice(i, i + MAX_FOLDERS);
      const folders = chunk.map(({ path }) => toRelative(top, path));
      const histories = await readFolderHistories(top, folders, isFormulaFile, env);
      isShallow ||= histories.isShallow;
      for (const { path, remote } of chunk) {
        const versions = histories.versions.get(toRelative(top, path)) ?? [];
        if (versions.some((version) => isVersionOf(version, remote))) foldersAhead.add(path);
      }
    }
  }
  return { foldersAhead, isShallow };
}

const isFormulaFile = (name: string) => name === 'manifest.json' || CODE_FILES.includes(name) || isIconName(name);

/** Whether a push of the version would have changed nothing of the remote formula. */
function isVersionOf(version: FolderVersion, remote: Formula): boolean {
  const body = wholeBody(parseFolderFormula(toContents(version)));
  if (!body) return false;
  // In the working tree, git may convert line endings.
  const codes = [body.code, body.code.replace(/\r?\n/g, '\r\n')];
  return codes.some((code) => fieldsToChange({ body: { ...body, code } }, remote).length === 0);
}

function toContents(version: FolderVersion): FolderContents {
  const names = [...version.keys()];
  const read = (file: string): FileRead => {
    const bytes = version.get(file);
    return bytes ? { state: 'read', file, bytes } : { state: 'missing', file };
  };
  return {
    folder: '',
    entries: names.map((name) => ({ name, kind: 'file' })),
    manifest: read('manifest.json'),
    code: read(CODE_FILES.find((name) => names.includes(name)) ?? 'code.js'),
    icons: names.filter(isIconName).map(read),
  };
}
