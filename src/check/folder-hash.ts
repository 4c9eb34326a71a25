/** A hash of all that a formula folder holds, which tells whether it is still what was checked. */

import type { FolderContents } from '../folder/read.ts';
import { sha256 } from '../text/hash.ts';

/** The same only for the same names, and the same bytes of manifest, code and icons. */
export function hashFolder({ entries, manifest, code, icons }: FolderContents): string {
  const files = [manifest, code, ...icons];
  // The sizes tell where the bytes of one file end.
  const sizes = files.map((read) => (read.state === 'read' ? [read.file, read.bytes.length] : [read.file]));
  const names = JSON.stringify([entries.map(({ name, kind }) => [name, kind]), sizes]);
  const bytes = files.flatMap((read) => (read.state === 'read' ? [read.bytes] : []));
  return sha256(Buffer.concat([Buffer.from(names), ...bytes])).toString('base64url');
}
