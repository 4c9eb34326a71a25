/**
 * Reports changes to the content of files: once for a burst, and also after a save that replaces a file. It polls, since
 * watchers of the system miss replaced folders, and do not work on all file systems.
 */
import { fstatSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { attempt } from '../errors.ts';
import { tryStat } from '../files/try-stat.ts';
import { sha256 } from '../text/hash.ts';

export type Watch = ReturnType<typeof watchFiles>;

/** A change is reported when the files stayed the same for this long. */
const POLL_MS = 100;
/** For many files, the interval is this many times as long as looking at them takes, up to a second. */
const REST_FACTOR = 10;
const MAX_REST_MS = 1000;

/** Watches folders recursively, except node_modules and dot folders, and single files. */
export function watchFiles(folders: readonly string[], first: readonly string[]) {
  const files = new Set(first);
  const ignored = new Set<string>();
  let known = readContents(folders, files, new Map());
  let isRunning = false;
  let hasChanged = false;
  let notify: () => void = () => undefined;
  let timer: NodeJS.Timeout | undefined;
  /** Whether files changed since the last look. */
  const look = (): boolean => {
    const found = readContents(folders, files, known);
    const changed = listChanges(found, known).filter((file) => !ignored.has(file) && !isOutputOfTool(file));
    known = found;
    const own = isRunning ? changed.filter((file) => !files.has(file) && !isInput(file)) : [];
    for (const file of own) ignored.add(file);
    hasChanged ||= changed.length > own.length;
    return changed.length > own.length;
  };
  const poll = () => {
    const start = performance.now();
    const isSettled = !look();
    if (hasChanged && isSettled) notify();
    const rest = Math.min((performance.now() - start) * REST_FACTOR, MAX_REST_MS);
    timer = setTimeout(poll, Math.max(rest, POLL_MS));
  };
  timer = setTimeout(poll, POLL_MS);
  return {
    /** Resolves at the next change after the last one reported. */
    waitForChange: () =>
      new Promise<void>((done) => {
        notify = () => {
          hasChanged = false;
          notify = () => undefined;
          done();
        };
      }),
    /** While a run is in progress, changes to files that it does not read are its own, and those files are ignored. */
    setRunning: (running: boolean): void => {
      // Changes until now belong to the state before.
      look();
      isRunning = running;
    },
    /** Ignores the change to a file that the tool itself wrote. */
    markWritten: (file: string): void => addFile(known, file),
    /** Watches another file, which may not exist yet. */
    add: (file: string): void => {
      if (files.has(file)) return;
      files.add(file);
      if (!known.has(file)) addFile(known, file);
    },
    close: () => clearTimeout(timer),
  };
}

interface Content {
  hash: string;
  /** Of a file whose signature is the same, the content is. */
  signature: string;
  isSure: boolean;
}

type Contents = Map<string, Content>;

const listChanges = (now: Contents, before: Contents): string[] =>
  [...new Set([...now.keys(), ...before.keys()])].filter((file) => now.get(file)?.hash !== before.get(file)?.hash);

/** Whether a file of a formula is read by every run. */
const isInput = (file: string): boolean =>
  /^(manifest\.json|code\.\w+|icon\.\w+|package\.json|tsconfig\.json)$/i.test(basename(file)) ||
  (file.endsWith('.json') && basename(dirname(file)) === 'tests');

/** Whether the output of the tool is redirected to a file. */
function isOutputOfTool(file: string): boolean {
  const stats = tryStat(file);
  return [1, 2].some((descriptor) => {
    const output = attempt(() => fstatSync(descriptor));
    return output?.isFile() === true && output.dev === stats?.dev && output.ino === stats.ino;
  });
}

/** Reads all files of the folders. Unreadable entries count as missing. */
function readContents(folders: readonly string[], files: ReadonlySet<string>, before: Contents): Contents {
  const contents: Contents = new Map();
  const worklist = [...folders];
  for (let folder = worklist.pop(); folder !== undefined; folder = worklist.pop()) {
    for (const entry of attempt(() => readdirSync(folder, { withFileTypes: true })) ?? []) {
      const path = join(folder, entry.name);
      if (!entry.isDirectory()) addFile(contents, path, before);
      else if (!entry.name.startsWith('.') && entry.name !== 'node_modules') worklist.push(path);
    }
  }
  for (const file of files) addFile(contents, file, before);
  return contents;
}

/** Writes within one tick of the file system's clock cannot be told apart. */
const TICK_MS = 1000;

function addFile(contents: Contents, path: string, before?: Contents): void {
  contents.delete(path);
  const stats = tryStat(path);
  if (!stats?.isFile()) return;
  const signature = [stats.ctimeMs, stats.size, stats.ino].join();
  const known = before?.get(path);
  const isSure = Date.now() - stats.ctimeMs > TICK_MS;
  const isSame = known?.isSure && known.signature === signature;
  // The file may be missing during a save.
  const hash = isSame ? known.hash : attempt(() => sha256(readFileSync(path)).toString('hex'));
  if (hash !== undefined) contents.set(path, { hash, signature, isSure });
}
