/** Files of a project, as anyone may have made them: none that never ends, and none too large to be looked at. */
import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';

/** Far more than any service takes; a text of JavaScript ends at half a GiB. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Reads a file. Throws the file system's error, also (EFTYPE, EFBIG) for a pipe or device, and for a file above 64 MiB. */
export function readRegularFile(path: string): Buffer {
  // Not blocking: a named pipe would wait for a writer.
  const opened = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const code = faultOf(fstatSync(opened));
    if (code !== undefined) throw Object.assign(new Error(`${code}: ${path}`), { code, path });
    return readFileSync(opened);
  } finally {
    closeSync(opened);
  }
}

function faultOf(stats: Stats): string | undefined {
  if (stats.isDirectory()) return 'EISDIR';
  if (!stats.isFile()) return 'EFTYPE';
  return stats.size > MAX_BYTES ? 'EFBIG' : undefined;
}
