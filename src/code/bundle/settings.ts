/**
 * Checks the settings files that esbuild reads when it resolves imports: they must be regular files, which links and
 * `extends` do not take from outside the repository.
 */
import { readFileSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { attempt } from '../../errors.ts';
import { tryStat } from '../../files/try-stat.ts';
import { isObject } from '../../text/json-type.ts';
import { parse } from '../../text/jsonc.ts';
import { positionAt } from '../../text/source-position.ts';
import { createWildcardMatcher } from '../../text/wildcard.ts';
import { type FileAccess, PNP_FILES } from './file-access.ts';
import { MAX_SETTINGS_BYTES } from './limits.ts';
import { BundleError, type BundleProblem } from './messages.ts';

/** Limits circular `extends`. */
const MAX_FILES = 100;

export function openSettings(fileAccess: FileAccess) {
  const { toDisplayPath, isRepositoryFile } = fileAccess;
  const checked = new Set<string>();
  const aliases = new Set<string>();
  const withDecoratorMetadata = new Map<string, string>();
  let missingBase: string | undefined;

  /** Checks the settings of a folder and of the folders above it. Throws BundleError. */
  function check(folder: string): void {
    if (checked.has(folder)) return;
    if (dirname(folder) !== folder) check(dirname(folder));
    checkFolder(folder);
    checked.add(folder);
  }

  function checkFolder(folder: string): void {
    const find = (...names: string[]) => names.map((name) => join(folder, name)).find(isThere);
    for (const name of PNP_FILES) find(name);
    const [packageJson, config] = [find('package.json'), find('tsconfig.json', 'jsconfig.json')];
    for (const path of [packageJson, config]) {
      if (path === undefined || !isRepositoryFile(path)) continue;
      const real = requireAllowed(path);
      if (path === config) readConfig(real);
    }
  }

  function requireAllowed(path: string): string {
    const real = fileAccess.realPath(path) ?? path;
    if (real !== path) fileAccess.assertAllowed(real);
    fileAccess.noteInput(real);
    if (fileAccess.changed.has(real)) assertSameSettings(real);
    return real;
  }

  const isThere = (path: string) => isPresent(path) || fileAccess.changed.get(path) !== undefined;

  /** Opening a pipe or a device may wait, or have effects. */
  function isPresent(path: string): boolean {
    const stats = tryStat(path);
    if (!stats || stats.isDirectory()) return false;
    if (stats.isFile()) return true;
    throw new BundleError(`cannot read ${toDisplayPath(path)}: it is a pipe, socket, or device (EFTYPE)`);
  }

  /** esbuild resolves imports with the settings on the disk, also those of another version. */
  function assertSameSettings(path: string): void {
    const [before, now] = [fileAccess.changed.get(path), isPresent(path) ? readFileSync(path) : undefined];
    if (path.endsWith('package.json') && pickResolved(before) === pickResolved(now)) return;
    throw new BundleError(`cannot bundle another version of the code: ${toDisplayPath(path)} has changed`, {
      fix: 'Use a working tree of that version: git worktree add DIR COMMIT',
    });
  }

  function readConfig(path: string, count = 0): void {
    if (count > MAX_FILES) throw new BundleError(`${toDisplayPath(path)} must not extend more than ${MAX_FILES} files`);
    const text = fileAccess.read(path, MAX_SETTINGS_BYTES).toString('utf8');
    const value = parseLooseJson(text);
    const options = isObject(value['compilerOptions']) ? value['compilerOptions'] : {};
    if (options['emitDecoratorMetadata'] === true) withDecoratorMetadata.set(path, text);
    addAliases(options['paths']);
    for (const base of [value['extends']].flat().filter((one) => typeof one === 'string')) {
      const found = findBase(base, path, text);
      if (found !== undefined) readConfig(found, count + 1);
    }
  }

  function addAliases(paths: unknown): void {
    for (const alias of isObject(paths) ? Object.keys(paths) : []) if (alias !== '*') aliases.add(alias);
  }

  /** The real path of what a file extends; undefined for that of a package. Throws BundleError if it is outside. */
  function findBase(base: string, path: string, text: string): string | undefined {
    if (!isAbsolute(base) && !/^\.\.?(\/|$)/.test(base)) return undefined;
    const target = resolve(dirname(path), base);
    const found = [target, `${target}.json`, join(target, 'tsconfig.json')].find(isPresent);
    if (found === undefined) {
      missingBase ??= base;
      return undefined;
    }
    const real = fileAccess.realPath(found) ?? found;
    try {
      fileAccess.assertAllowed(real);
      return real;
    } catch (error) {
      const { message, detail } = error as BundleError;
      const position = positionAt(text, Math.max(0, text.indexOf(JSON.stringify(base))));
      const location = { file: toDisplayPath(path), ...position };
      throw new BundleError(message.replace('bundle', 'extend'), { ...detail, ...location });
    }
  }

  /** Whether tsconfig.json maps an import to paths, by a pattern other than `*`. */
  const isAlias = (specifier: string) => [...aliases].some((alias) => createWildcardMatcher(alias)(specifier));

  /** Warnings about `emitDecoratorMetadata`, if the code has decorators. */
  const findUnsupportedDecorators = (): BundleProblem[] =>
    [...withDecoratorMetadata].map(([file, text]) => ({
      file: toDisplayPath(file),
      ...positionAt(text, Math.max(0, text.indexOf('"emitDecoratorMetadata"'))),
      level: 'warning',
      message: 'emitDecoratorMetadata has no effect: esbuild, which bundles the code, does not support it',
    }));

  /** The missing file that tsconfig.json extends, and which may define an import. */
  const getMissingBase = () => missingBase;
  return { check, isAlias, getMissingBase, findUnsupportedDecorators };
}

/** What affects how imports are resolved. */
function pickResolved(text: Buffer | undefined): string {
  const { name, type, main, module, exports, imports, sideEffects } = parseLooseJson(text?.toString('utf8') ?? '');
  return JSON.stringify([name, type, main, module, exports, imports, sideEffects]);
}

/** JSON with comments and trailing commas; esbuild says what is wrong with it. */
export function parseLooseJson(text: string): Record<string, unknown> {
  // It throws for what is nested too deep.
  const value: unknown = attempt(() => parse(text.replace(/^\uFEFF/, '')));
  return isObject(value) ? value : {};
}
