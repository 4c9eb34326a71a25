/** --paths-from: the paths of a list, as git, PowerShell, and other tools write it. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { CliError } from '../errors.ts';
import { fileUsageError } from '../files/file-errors.ts';
import { findRealPath, isWithin, toRelative, toSlashes } from '../files/paths.ts';
import { readNamedFile } from '../files/regular-file.ts';
import { findCurrentRepository, isWorkingCopy, listAncestors } from '../files/repository.ts';
import { findKnownPath } from '../git/known-paths.ts';
import type { Host } from '../host/host.ts';
import { escapeControls } from '../output/escape.ts';
import { isRoot, type PathLookup } from './path-lookup.ts';

/** A line of a list, and the absolute path that it stands for. */
export interface ListedPath {
  displayPath: string;
  path: string;
}

/** Reads the lines of a file, a pipe, or standard input (`-`). Raises usage (2). */
export async function readPathList(file: string, host: Host): Promise<readonly string[]> {
  return splitList(decodeList(file === '-' ? await host.readStdin() : readListFile(file, host)));
}

function readListFile(file: string, host: Host): Buffer {
  try {
    return readNamedFile(resolve(host.cwd(), file));
  } catch (error) {
    throw fileUsageError(`could not read the list of paths ${file}`, error);
  }
}

/** UTF-8 or UTF-16, with or without a byte order mark. */
function decodeList(bytes: Buffer): string {
  const [first, second] = bytes;
  const isBigEndian = (first === 0xfe && second === 0xff) || isAsciiInUtf16(bytes, 0);
  const isUtf16 = isBigEndian || (first === 0xff && second === 0xfe) || isAsciiInUtf16(bytes, 1);
  const even = bytes.subarray(0, bytes.length & ~1);
  const text = isUtf16 ? (isBigEndian ? Buffer.from(even).swap16() : even).toString('utf16le') : bytes.toString('utf8');
  return text.replace(/^\ufeff/, '');
}

/**
 * Whether each line break, dot, and slash is a UTF-16 code unit whose other byte, at `offset`, is zero. In a list that NUL
 * separates, a zero byte after each of them would mean names of one character.
 */
function isAsciiInUtf16(bytes: Buffer, offset: 0 | 1): boolean {
  let found = 0;
  for (let i = 0; i + 1 < bytes.length; i += 2) {
    if (!SEPARATORS.includes(bytes[i + 1 - offset] as number)) continue;
    if (bytes[i + offset] !== 0) return false;
    found++;
  }
  return found > 0 && bytes.length % 2 === 0;
}

const SEPARATORS: readonly number[] = [...'\n\r./\\'].map((character) => character.charCodeAt(0));

const splitList = (text: string): string[] => text.split(text.includes('\0') ? '\0' : /\r?\n/).filter(Boolean);

export interface ListContext {
  skip: (path: string, reason: string) => void;
  warn: (text: string) => void;
  lookup: Pick<PathLookup, 'at' | 'exists'>;
}

/**
 * The paths of the lines that exist, relative to the current folder or to the top of the git repository, wherever more of
 * them exist; `skip` is called with the others. Raises usage (2) for a path outside the repository, and if git knows none.
 */
export async function resolvePathList(
  lines: readonly string[],
  host: Host,
  { skip, warn, lookup: { at, exists: isThere } }: ListContext,
): Promise<ListedPath[]> {
  const cwd = host.cwd();
  const current = findRealPath(cwd) ?? cwd;
  const top = listAncestors(current).find(isWorkingCopy);
  const resolveFrom = (base: string) => lines.map((line) => resolveLine(line, base, isThere));
  const bases = [cwd, ...(top === undefined || top === current ? [] : [top])].map(resolveFrom);
  const count = (paths: ReturnType<typeof resolveFrom>) => paths.filter(({ exists }) => exists).length;
  const listed = bases.reduce((best, other) => (count(other) > count(best) ? other : best));
  const repository = findCurrentRepository({ cwd, home: host.home });
  for (const { line, path } of listed) assertInRepository(line, path, repository);
  if (top !== undefined && listed.length > 0 && count(listed) === 0)
    await assertKnown(
      bases.flat().map(({ path }) => toRelative(top, path)),
      top,
      host,
      warn,
    );
  for (const { line, exists } of listed) if (!exists) skip(line, at ? `not in ${at.reference}` : 'no longer exists');
  return listed
    .filter(({ exists }) => exists)
    .map(({ line, path }) => ({
      displayPath: listed === bases[0] ? toSlashes(line) : toRelative(cwd, path) || '.',
      path,
    }));
}

/** A line in double quotes may be a name that git quoted, or the name itself. */
function resolveLine(
  line: string,
  base: string,
  isThere: (path: string) => boolean,
): { line: string; path: string; exists: boolean } {
  const plain = resolve(base, line);
  const unquoted = isThere(plain) ? undefined : unquote(line);
  if (unquoted === undefined) return { line, path: plain, exists: isThere(plain) };
  const path = resolve(base, unquoted);
  return { line: unquoted, path, exists: isThere(path) };
}

const ESCAPES: Readonly<Record<string, string>> = { a: '\x07', b: '\b', t: '\t', n: '\n', v: '\v', f: '\f', r: '\r' };

/** The name that git quoted, as in C: `"pr\303\274fen"`; undefined if the line is not quoted. */
function unquote(line: string): string | undefined {
  const [, quoted] = /^"((?:[^"\\]|\\.)+)"$/s.exec(line) ?? [];
  if (quoted === undefined) return undefined;
  const parts = quoted.matchAll(/\\([0-7]{3})|\\(.)|[^\\]+/gs);
  return Buffer.concat(
    [...parts].map(([text, octal, escaped]) =>
      octal
        ? Buffer.from([Number.parseInt(octal, 8) & 0xff])
        : Buffer.from(escaped ? (ESCAPES[escaped] ?? escaped) : text),
    ),
  ).toString('utf8');
}

function assertInRepository(line: string, path: string, repository: string): void {
  const real = findRealPath(path) ?? path;
  const isInside = isWithin(real, repository) || (!existsSync(path) && isWithin(path, repository));
  if (isInside && !isRoot(path)) return;
  throw new CliError(
    'usage',
    escapeControls(
      `--paths-from: ${JSON.stringify(line)} is not in the repository of the current folder (${repository})`,
    ),
    { hint: 'Remove the line, or run the command in the repository of the path.' },
  );
}

async function assertKnown(
  paths: readonly string[],
  top: string,
  { env }: Host,
  warn: (text: string) => void,
): Promise<void> {
  const known = await findKnownPath(top, paths, env);
  if (known === 'known' || known === 'no git') return;
  const problem = '--paths-from: none of the paths exists, here or in any commit';
  if (known === 'shallow') return warn(`warning: ${problem} of this shallow clone`);
  throw new CliError('usage', problem, {
    hint: 'Pass paths relative to the current folder or to the top of the repository, for example from: git diff --name-only',
  });
}
