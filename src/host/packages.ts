/** The installation of the tool: how to reinstall it, and why native packages are missing. */
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { attempt } from '../errors.ts';

/**
 * The command that reinstalls all packages, with the optional ones. The package manager is detected from the folder of
 * the tool; the default is npm.
 */
export function findReinstallCommand(folder: string = __dirname, exists: (path: string) => boolean = fileExists) {
  const [top = '', inside] = folder.split(/[\\/]node_modules[\\/]/);
  const has = (name: string) => exists(join(top, name));
  if (/[\\/](global[\\/][^\\/]+[\\/]\.pnpm|links)[\\/]/.test(folder)) return 'pnpm add --global formulary-cli';
  if (/[\\/]\.pnpm[\\/]/.test(folder)) return 'pnpm install --force';
  // A checkout.
  if (inside === undefined) return 'npm ci';
  if (/\.zip$|[\\/]\.yarn[\\/]/.test(top) || has('.yarnrc.yml')) return 'yarn install';
  if (has('yarn.lock')) return 'yarn install --force';
  const isProject = has('package.json') && !/[\\/]_npx[\\/]/.test(top);
  if (!isProject) return 'npm install --global --include=optional formulary-cli';
  return `npm ${has('package-lock.json') ? 'ci' : 'install'} --include=optional`;
}

/** `existsSync` throws if the permission model of Node.js denies reading. */
const fileExists = (path: string): boolean => attempt(() => existsSync(path)) ?? false;

/** Resolves packages from the folder of the tool. */
export const requireFromTool = createRequire(join(__dirname, 'packages.js'));

/**
 * Why a native package, `@scope/platform`, is missing: it was not installed, or the packages were installed on another
 * platform.
 */
export function explainMissingPackage(name: string): string {
  const [scope = '', platform] = name.split('/');
  const folders = requireFromTool.resolve.paths(name) ?? [];
  const others = folders.flatMap((folder) => attempt(() => readdirSync(join(folder, scope))) ?? []);
  if (others.length === 0) return `${name} is not installed`;
  return `it is installed for ${[...new Set(others)].join(', ')}, but not for ${platform}`;
}
