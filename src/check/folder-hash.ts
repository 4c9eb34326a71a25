/** A hash of the contents of a formula folder, to detect that it is unchanged since a check. */
import type { FolderContents } from '../folder/read.ts';
import { sha256 } from '../text/hash.ts';

/** Covers the names in the folder, and the bytes of manifest, code, and icons. */
export function hashFolder({ entries, manifest, code, icons }: FolderContents): string {
  const files = [manifest, code, ...icons];
  // The sizes delimit the files.
  const sizes = files.map((read) => (read.state === 'read' ? [read.file, read.bytes.length] : [read.file]));
  const names = JSON.stringify([entries.map(({ name, kind }) => [name, kind]), sizes]);
  const bytes = files.flatMap((read) => (read.state === 'read' ? [read.bytes] : []));
  return sha256(Buffer.concat([Buffer.from(names), ...bytes])).toString('base64url');
}
