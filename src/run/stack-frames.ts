/** Finds positions in the formula's own files in a stack trace. */
import { readFileSync } from 'node:fs';
import systemPaths, { join, type PlatformPath, win32 } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Bundle, SourceLocation } from '../code/bundle/bundle.ts';
import { isInPackage } from '../code/bundle/package-name.ts';
import { attempt } from '../errors.ts';
import { isWithin, toRelative } from '../files/paths.ts';

/** Distinguishes the formula's own files from others. */
export interface OwnCode {
  folder: string;
  /** The path of the code file in the folder. */
  file: string;
  /** The text that is loaded. */
  code?: string;
  /** The path under which the code was loaded, if it differs. */
  loadedAs?: string;
  /** Maps positions of a bundle to its sources. */
  sourcePosition?: ((position: { line: number; column: number }) => SourceLocation | undefined) | undefined;
}

const MAX_FRAMES = 5;

/** Innermost first, without packages and Node.js itself. */
export function findOwnFrames(stack: string, ownCode: OwnCode, paths: PlatformPath = systemPaths): SourceLocation[] {
  const lines = stack.split('\n');
  // If code does not compile, the first line is its position, and the frames belong to the code that loaded it.
  const [, path = '', row] = /^(.+):(\d+)$/.exec(lines[0] ?? '') ?? [];
  const caret = lines.slice(1, 4).find((line) => /^\s*\^+\s*$/.test(line));
  const broken = locateFrame(path, Number(row), (caret?.indexOf('^') ?? 0) + 1, ownCode, paths);
  const frames = lines.flatMap((line) => {
    const [, where = '', at, column] = /^\s+at (.+):(\d+):(\d+)\)?$/.exec(line) ?? [];
    return locateFrame(parseFramePath(where, ownCode, paths), Number(at), Number(column), ownCode, paths);
  });
  return [...broken, ...frames].slice(0, MAX_FRAMES);
}

/** Output of the code, with the positions of its sources in stacks that it printed. */
export function mapFrames(text: string, ownCode: OwnCode): string {
  const { loadedAs = '', file, folder, sourcePosition } = ownCode;
  return text.replaceAll(loadedAs, '\0').replace(/\0:(\d+):(\d+)|\0/g, (_, line?: string, column?: string) => {
    if (line === undefined) return loadedAs;
    const position = { line: Number(line), column: Number(column) };
    const source = sourcePosition ? sourcePosition(position) : { file: toRelative(folder, file), ...position };
    return source ? `${source.file}:${source.line}:${source.column}` : `${loadedAs}:${line}:${column}`;
  });
}

/** The relative path of a file, with `/`; undefined for packages, and outside the folder. */
export function toOwnFile(path: string, { folder }: OwnCode, paths: PlatformPath = systemPaths): string | undefined {
  const name = isWithin(path, folder, paths) ? toRelative(folder, path, paths) : '';
  return name === '' || isInPackage(name) ? undefined : name;
}

/** The path or URL at the end of a frame. A parenthesis does not show its start: folder names may contain some. */
function parseFramePath(where: string, { folder, loadedAs }: OwnCode, paths: PlatformPath): string {
  if (loadedAs !== undefined && where.endsWith(loadedAs)) return loadedAs;
  if (where.endsWith('<anonymous>')) return '';
  const url = where.indexOf('file://');
  if (url < 0) return where.slice(Math.max(0, where.indexOf(folder)));
  return attempt(() => fileURLToPath(where.slice(url), { windows: paths === win32 })) ?? '';
}

function locateFrame(path: string, line: number, column: number, ownCode: OwnCode, paths: PlatformPath) {
  const isCode = path === (ownCode.loadedAs ?? ownCode.file);
  if (isCode && ownCode.sourcePosition) {
    const location = ownCode.sourcePosition({ line, column });
    return location && !location.file.startsWith('..') && !isInPackage(location.file) ? [location] : [];
  }
  const file = toOwnFile(isCode ? ownCode.file : path, ownCode, paths);
  return file === undefined ? [] : [{ file, line, column }];
}

/** The lines to print below the message of a failure; empty if its location is unknown. */
export async function formatFailureFrame(
  { locations: [location] }: { locations: readonly SourceLocation[] },
  folder: string,
  bundle: Bundle | undefined,
  width: number,
): Promise<string> {
  if (!location) return '';
  const text = bundle?.sources.get(location.file) ?? readText(join(folder, location.file));
  if (text === undefined) return '';
  const { createFrameFormatter } = await import('../output/code-frame.ts');
  return `\n${createFrameFormatter(location.file, text, width)(location)}`;
}

const readText = (path: string) => attempt(() => readFileSync(path, 'utf8').replace(/^\ufeff/, ''));
