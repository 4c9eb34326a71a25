/** Where in the formula's own files an error comes from, read off its stack. */
import systemPaths, { type PlatformPath, win32 } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SourceLocation } from '../code/bundle/bundle.ts';
import { isWithin, toRelative } from '../files/paths.ts';

/** What is needed to tell the formula's own lines from others. */
export interface OwnCode {
  folder: string;
  /** The path of the code in it. */
  file: string;
  /** The path under which it was loaded, where that is another. */
  loadedAs?: string;
  /** Of a bundle: where its places come from. */
  sourcePosition?: ((place: { line: number; column: number }) => SourceLocation | undefined) | undefined;
}

const MAX_FRAMES = 5;

/** The places in the formula's files, innermost first; packages and Node.js itself are left out. */
export function findOwnFrames(stack: string, ownCode: OwnCode, paths: PlatformPath = systemPaths): SourceLocation[] {
  const lines = stack.split('\n');
  // Of code that does not compile, the first line is its place; the frames below are who asked for it.
  const [, path = '', row] = /^(.+):(\d+)$/.exec(lines[0] ?? '') ?? [];
  const caret = lines.slice(1, 4).find((line) => /^\s*\^+\s*$/.test(line));
  const broken = locateFrame(path, Number(row), (caret?.indexOf('^') ?? 0) + 1, ownCode, paths);
  const frames = lines.flatMap((line) => {
    const [, where = '', at, column] = /^\s+at (.+):(\d+):(\d+)\)?$/.exec(line) ?? [];
    return locateFrame(parseFramePath(where, ownCode, paths), Number(at), Number(column), ownCode, paths);
  });
  return [...broken, ...frames].slice(0, MAX_FRAMES);
}

/** The name of a file of the formula, with `/`; undefined for packages and files outside of the folder. */
export function toOwnFile(path: string, { folder }: OwnCode, paths: PlatformPath = systemPaths): string | undefined {
  const name = isWithin(path, folder, paths) ? toRelative(folder, path, paths) : '';
  return name === '' || PACKAGE_FILE.test(name) ? undefined : name;
}

const PACKAGE_FILE = /(^|\/)node_modules\//;

/** The path or URL at the end of a frame. Brackets do not show where it begins, since folders may have some too. */
function parseFramePath(where: string, { folder, loadedAs }: OwnCode, paths: PlatformPath): string {
  if (loadedAs !== undefined && where.endsWith(loadedAs)) return loadedAs;
  if (where.endsWith('<anonymous>')) return '';
  const url = where.indexOf('file://');
  if (url < 0) return where.slice(Math.max(0, where.indexOf(folder)));
  try {
    return fileURLToPath(where.slice(url), { windows: paths === win32 });
  } catch {
    return '';
  }
}

function locateFrame(
  path: string,
  line: number,
  column: number,
  ownCode: OwnCode,
  paths: PlatformPath,
): SourceLocation[] {
  const isCode = path === (ownCode.loadedAs ?? ownCode.file);
  if (isCode && ownCode.sourcePosition) {
    const location = ownCode.sourcePosition({ line, column });
    return location && !location.file.startsWith('..') && !PACKAGE_FILE.test(location.file) ? [location] : [];
  }
  const file = toOwnFile(isCode ? ownCode.file : path, ownCode, paths);
  return file === undefined ? [] : [{ file, line, column }];
}
