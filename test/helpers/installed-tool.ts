/** The built tool in a folder of its own, as after an installation. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { folderWith } from './folders.ts';

const ROOT = join(import.meta.dirname, '../..');
const COMPILED = join(ROOT, 'dist/compiled');

/** Without its packages, and with nothing compiled yet: tests run the project's own tool, whose files there come and go. */
export function installedTool(): string {
  const folder = folderWith();
  for (const part of ['bin', 'dist', 'package.json'])
    cpSync(join(ROOT, part), join(folder, part), { recursive: true, filter: (path) => path !== COMPILED });
  return folder;
}
