/** The built tool as a program on a PATH. */
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { folderWith } from './folders.ts';

const TOOL = join(import.meta.dirname, '../../bin/formulary.js');

/** A PATH on which `formulary` is the built tool, run by this Node.js; before what is on the PATH of the tests. */
export function pathWithTool(): string {
  const bin = folderWith({ formulary: `#!/bin/sh\nexec "${process.execPath}" "${TOOL}" "$@"\n` });
  chmodSync(join(bin, 'formulary'), 0o755);
  return `${bin}:${process.env['PATH']}`;
}
