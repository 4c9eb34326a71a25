/** Temporary folders to run code in: empty, as on the service, except for links to the formula's packages. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realPath } from '../files/paths.ts';
import { listAncestors } from '../files/repository.ts';

export interface RunFolder {
  /** The working folder of the process: empty. */
  cwd: string;
  /** The folder that the code appears to be loaded from. It contains only links to packages. */
  codeFolder: string;
  /** The path of the script that the process runs. */
  scriptPath: string;
  remove(): void;
}

/** Throws the file system's error. */
export function createRunFolder(formulaFolder: string, script: string): RunFolder {
  const top = realPath(mkdtempSync(join(tmpdir(), 'formulary-run-')));
  const cwd = join(top, 'cwd');
  mkdirSync(cwd);
  // The tool itself may be in a Yarn archive. A script file starts faster than -e.
  const scriptPath = join(top, 'run.cjs');
  writeFileSync(scriptPath, script);
  let codeFolder = join(top, 'code');
  mkdirSync(codeFolder);
  // One nested folder for each node_modules that Node.js would search, the top one outermost.
  for (const folder of listAncestors(realPath(formulaFolder)).reverse()) {
    const packages = join(folder, 'node_modules');
    if (!existsSync(packages)) continue;
    linkFolder(packages, join(codeFolder, 'node_modules'));
    codeFolder = join(codeFolder, 'formula');
    mkdirSync(codeFolder);
  }
  return { cwd, codeFolder, scriptPath, remove: () => rmSync(top, { recursive: true, force: true }) };
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
