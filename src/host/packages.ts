/** The packages of this installation: how they are installed again, and which native parts there are. */
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/**
 * The command that installs the packages again, the optional ones too: of the package manager that the folder of one of
 * the tool's files shows, otherwise npm's. `exists` looks for a file.
 */
export function findReinstallCommand(
  folder: string = __dirname,
  exists: (path: string) => boolean = fileExists,
): string {
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

/** Node.js's permission model makes `existsSync` throw. */
function fileExists(path: string): boolean {
  try {
    return existsSync(path);
  } catch {
    return false;
  }
}

/** Resolves packages as the tool does. */
export const requireFromTool = createRequire(join(__dirname, 'packages.js'));

/**
 * Why a package with native code, `@scope/platform`, is missing: it was left out, or the packages were installed on
 * another platform.
 */
export function explainMissingPackage(name: string): string {
  const [scope = '', platform] = name.split('/');
  const others = (requireFromTool.resolve.paths(name) ?? []).flatMap((folder) => listNames(join(folder, scope)));
  if (others.length === 0) return `${name} is not installed`;
  return `it is installed for ${[...new Set(others)].join(', ')}, but not for ${platform}`;
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
