/** A hash of all that a formula folder holds, which tells whether it is still what was checked. */
import { createHash } from 'node:crypto';
import type { FolderContents } from './read.ts';

/** The same only for the same names, and the same bytes of manifest, code and icons. */
export function filesPrint({ entries, manifest, code, icons }: FolderContents): string {
  const hash = createHash('sha256');
  const files = [manifest, code, ...icons];
  // The sizes tell where the bytes of one file end.
  const sizes = files.map((read) => (read.state === 'read' ? [read.file, read.bytes.length] : [read.file]));
  hash.update(JSON.stringify([entries.map(({ name, kind }) => [name, kind]), sizes]));
  for (const read of files) if (read.state === 'read') hash.update(read.bytes);
  return hash.digest('base64url');
}
