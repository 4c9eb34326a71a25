/** Checks many folders; their code is parsed by worker threads if there are enough folders. */
import { setImmediate } from 'node:timers/promises';
import type { BundleContext } from '../code/bundle/bundle.ts';
import type { Folder } from '../folder/find-folders.ts';
import type { FolderContents } from '../folder/read.ts';
import { type CheckResult, checkContents, readCleanFolder, readContents, shouldBundle } from './check-folder.ts';
import { hashFolder } from './clean-cache.ts';

/** Below this number, checking takes less time than starting a thread. */
const MIN_FOLDERS = 100;
/** Number of checks started together for each thread. */
const BATCH = 8;
/** Batches queued for each thread, because waking an idle thread is slow. */
const BATCHES = 4;

/** No check is started while the files of the running checks take more memory than this. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Source excerpts are omitted beyond this many characters of files with findings. */
const MAX_TEXT_CHARACTERS = 32 * 1024 * 1024;

export interface CheckOptions {
  bundleContext: BundleContext;
  /** Reads a folder; replaced if its files are about to change. */
  read?: (folder: Folder) => FolderContents;
  clean?: CleanFolders;
}

/** Folders without findings, by the hash of their files. */
interface CleanFolders {
  /** They are not checked again. */
  known: ReadonlySet<string>;
  found: Set<string>;
}

/** A running check, and the total size of the files, which are in memory. */
interface PendingCheck {
  bytes: number;
  result: Promise<CheckResult>;
}

/**
 * Yields the results in the order of the folders. Each has the time since the previous one, which is its share if threads
 * work in parallel. Raises usage (2) for a folder that cannot be read.
 */
export async function* checkFolders(
  folders: readonly Folder[],
  { bundleContext, read = readContents, clean }: CheckOptions,
): AsyncGenerator<CheckResult> {
  const areMany = folders.length >= MIN_FOLDERS;
  const pool = areMany ? (await import('./parse-pool.ts')).openParsePool() : undefined;
  const batch = BATCH * (pool?.count ?? 0);
  const pending: PendingCheck[] = [];
  let bytes = 0;
  let textCharacters = 0;
  let began = performance.now();
  try {
    for (const i of folders.keys()) {
      if (pending.length <= batch * (BATCHES - 1))
        start(folders.slice(i + pending.length, i + pending.length + batch + 1));
      // Lets signals be handled between two batches.
      if (i % BATCH === 0) await setImmediate();
      const next = pending.shift() as PendingCheck;
      const result = await next.result;
      bytes -= next.bytes;
      for (const { length } of result.texts.values()) textCharacters += length;
      const texts = textCharacters > MAX_TEXT_CHARACTERS ? new Map<string, string>() : result.texts;
      yield { ...result, texts, durationMs: performance.now() - began };
      // Excludes the time of the caller.
      began = performance.now();
    }
  } finally {
    pool?.close();
  }

  function start(more: readonly Folder[]): void {
    for (const folder of more) {
      if (pending.length > 0 && bytes > MAX_BYTES) return;
      const next = startCheck(folder);
      // An error is raised when its turn comes.
      next.result.catch(() => undefined);
      bytes += next.bytes;
      pending.push(next);
    }
  }

  function startCheck(folder: Folder): PendingCheck {
    try {
      const contents = read(folder);
      return { bytes: countBytes(contents), result: checkUnlessClean(contents, folder) };
    } catch (error) {
      return { bytes: 0, result: Promise.reject(error) };
    }
  }

  async function checkUnlessClean(contents: FolderContents, folder: Folder): Promise<CheckResult> {
    const hash = clean && !shouldBundle(contents) && !contents.isMisnamed ? hashFolder(contents) : undefined;
    const isKnown = hash !== undefined && clean?.known.has(hash);
    const result = isKnown
      ? readCleanFolder(contents)
      : await checkContents(contents, folder, bundleContext, pool?.inspectCode);
    if (hash !== undefined && result.findings.length === 0) clean?.found.add(hash);
    return result;
  }
}

const countBytes = ({ manifest, code, icons, tests }: FolderContents): number =>
  [manifest, code, ...icons, ...tests].reduce((sum, file) => sum + (file.state === 'read' ? file.bytes.length : 0), 0);
