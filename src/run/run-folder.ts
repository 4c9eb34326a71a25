/** The folders that code runs in: empty, as on the service, but with the packages of the formula's folder. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realPath } from '../files/paths.ts';
import { listAncestors } from '../files/repository.ts';

export interface RunFolder {
  /** The working folder of the process: empty. */
  cwd: string;
  /** The folder that the code is loaded from, as far as it can tell: nothing else is in it. */
  codeFolder: string;
  remove(): void;
}

/** Creates them below the system's folder for temporary files. Throws the file system's error. */
export function createRunFolder(formulaFolder: string): RunFolder {
  const top = realPath(mkdtempSync(join(tmpdir(), 'formulary-run-')));
  const cwd = join(top, 'cwd');
  mkdirSync(cwd);
  let codeFolder = join(top, 'code');
  mkdirSync(codeFolder);
  // A folder for each node_modules that Node.js would look into, the farthest one on top.
  for (const folder of listAncestors(realPath(formulaFolder)).reverse()) {
    const packages = join(folder, 'node_modules');
    if (!existsSync(packages)) continue;
    linkFolder(packages, join(codeFolder, 'node_modules'));
    codeFolder = join(codeFolder, 'formula');
    mkdirSync(codeFolder);
  }
  return { cwd, codeFolder, remove: () => rmSync(top, { recursive: true, force: true }) };
}

/**
 * Links a folder. On Windows a junction, which needs no privilege; a symbolic link where none is possible, as to a
 * network drive. Throws the file system's error.
 */
export function linkFolder(target: string, path: string, link: typeof symlinkSync = symlinkSync): void {
  try {
    link(target, path, 'junction');
  } catch {
    link(target, path, 'dir');
  }
}
