/** The built tool in a folder of its own, as after an installation. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { folderWith } from './folders.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Returns its folder; the packages are not in it. */
export function installedTool(): string {
  const folder = folderWith();
  for (const part of ['bin', 'dist', 'package.json']) cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  return folder;
}
