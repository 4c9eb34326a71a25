/** Finds formula folders that cannot be used because a name on their path is not UTF-8. */
import { isUtf8 } from 'node:buffer';
import { readdirSync } from 'node:fs';

/** Node.js replaces bytes that are not UTF-8 with this, so the resulting path does not exist. */
const REPLACEMENT = '\ufffd';

export const mayBeMisnamed = (name: string): boolean => name.includes(REPLACEMENT);

/** The names in a folder, as bytes, that are not UTF-8. Throws the file system's error. */
export const listMisnamed = (folder: string): Buffer[] =>
  listSubfolders(Buffer.from(folder)).filter((name) => !isUtf8(name));

/** The formula folders at or below one whose name is not UTF-8, by names that can be shown. Throws the file system's error. */
export function findMisnamedFormulas(folder: string, name: Buffer, label: string): string[] {
  const found: string[] = [];
  const worklist = [{ path: join(Buffer.from(folder), name), displayPath: `${label}/${toDisplayName(name)}` }];
  for (let next = worklist.pop(); next; next = worklist.pop()) {
    const { path, displayPath } = next;
    if (readdirSync(path, 'buffer').some((entry) => entry.equals(MANIFEST))) found.push(displayPath);
    worklist.push(
      ...listSubfolders(path).map((inner) => ({
        path: join(path, inner),
        displayPath: `${displayPath}/${toDisplayName(inner)}`,
      })),
    );
  }
  return found.sort();
}

const MANIFEST = Buffer.from('manifest.json');

/** Folders that may contain formulas: neither node_modules nor dot folders. */
const listSubfolders = (path: Buffer): Buffer[] =>
  readdirSync(path, { withFileTypes: true, encoding: 'buffer' })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .filter((name) => name[0] !== 0x2e && name.toString() !== 'node_modules');

const join = (folder: Buffer, name: Buffer) => Buffer.concat([folder, Buffer.from('/'), name]);

/** With `\xff` for each byte that is not ASCII, if the name is not UTF-8. */
const toDisplayName = (name: Buffer): string =>
  isUtf8(name) ? name.toString() : name.toString('latin1').replace(/[^\0-\x7f]/g, escapeByte);

const escapeByte = (character: string) => `\\x${character.charCodeAt(0).toString(16)}`;
