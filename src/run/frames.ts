/** Where in the formula's own files an error comes from, read off its stack. */
import { relative, sep } from 'node:path';
import type { SourcePlace } from '../code/bundle.ts';

/** What is needed to tell the formula's own lines from others. */
export interface OwnCode {
  folder: string;
  /** The path of the code in it. */
  file: string;
  /** The path under which it was loaded, where that is another. */
  loadedAs?: string;
  /** Of a bundle: where its places come from. */
  originalPlace?: ((place: { line: number; column: number }) => SourcePlace | undefined) | undefined;
}

const MAX_FRAMES = 5;

/** The places in the formula's files, innermost first; packages and Node.js itself are left out. */
export function ownFrames(stack: string, own: OwnCode): SourcePlace[] {
  const lines = stack.split('\n');
  // Of code that does not compile, the first line is its place; the frames below are who asked for it.
  const [, path = '', row] = /^(.+):(\d+)$/.exec(lines[0] ?? '') ?? [];
  const caret = lines.slice(1, 4).find((line) => /^\s*\^+\s*$/.test(line));
  const broken = path ? placeOf(path, Number(row), (caret?.indexOf('^') ?? 0) + 1, own) : [];
  const frames = lines.flatMap((line) => {
    const [, where = '', at, column] = /^\s+at (.+):(\d+):(\d+)\)?$/.exec(line) ?? [];
    const file = where.slice(where.lastIndexOf('(') + 1).replace(/^file:\/\//, '');
    return file ? placeOf(file, Number(at), Number(column), own) : [];
  });
  return [...broken, ...frames].slice(0, MAX_FRAMES);
}

function placeOf(path: string, line: number, column: number, own: OwnCode): SourcePlace[] {
  const isCode = path === (own.loadedAs ?? own.file);
  if (isCode && own.originalPlace) {
    const place = own.originalPlace({ line, column });
    return place && !isForeign(place.file) ? [place] : [];
  }
  const file = relative(own.folder, isCode ? own.file : path)
    .split(sep)
    .join('/');
  return isForeign(file) ? [] : [{ file, line, column }];
}

const isForeign = (file: string) =>
  file.startsWith('..') || /(^|\/)node_modules\//.test(file) || /^(node:|[A-Za-z]:)/.test(file);
