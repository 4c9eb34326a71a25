/** Says when the files of some folders change: really change, once for a burst, and after saves that replace the file. */
import { createHash } from 'node:crypto';
import { existsSync, type FSWatcher, readdirSync, readFileSync, statSync, watch } from 'node:fs';
import { dirname, join } from 'node:path';

export interface Watch {
  /** Resolves at the next change after the last one that was told. */
  waitForChange(): Promise<void>;
  /** Takes the present content of a file, which the tool itself wrote, for known. */
  markWritten(file: string): void;
  /** Watches one more file from now on, whose present content counts as known; it may not exist yet. */
  add(file: string): void;
  close(): void;
}

const DEBOUNCE_MS = 100;
/** Where the system cannot watch, and while a folder is gone, it is looked at so often. */
const POLL_MS = 500;

/** Watches folders with all below them, but node_modules and dot folders, and single files. */
export function watchFiles(folders: readonly string[], first: readonly string[]): Watch {
  const watchers = new Map<string, FSWatcher>();
  const files = new Set(first);
  let knownContents: Contents = new Map();
  let watchedFolders: Folders = new Map();
  let hasChanged = false;
  let notify: () => void = () => undefined;
  let timer: NodeJS.Timeout | undefined;
  const scheduleCheck = (milliseconds: number) => {
    clearTimeout(timer);
    timer = setTimeout(checkForChanges, milliseconds);
  };
  const checkForChanges = () => {
    const found = readState(folders, files);
    watchedFolders = found.folders;
    if (!isSame(found.contents, knownContents)) {
      knownContents = found.contents;
      hasChanged = true;
      notify();
    }
    updateAllWatchers();
  };
  const updateAllWatchers = () => {
    if (!updateWatchers(watchers, watchedFolders, () => scheduleCheck(DEBOUNCE_MS))) scheduleCheck(POLL_MS);
  };
  checkForChanges();
  hasChanged = false;
  return {
    waitForChange: () =>
      new Promise((done) => {
        notify = () => {
          hasChanged = false;
          notify = () => undefined;
          done();
        };
        if (hasChanged) notify();
      }),
    markWritten: (file) => addFile(knownContents, file),
    add: (file) => {
      if (files.has(file) || knownContents.has(file)) return;
      files.add(file);
      addFile(knownContents, file);
      followFolderOf(file, watchedFolders);
      updateAllWatchers();
    },
    close: () => {
      clearTimeout(timer);
      for (const watcher of watchers.values()) watcher.close();
    },
  };
}

/** A hash of each file's content. */
type Contents = Map<string, string>;

const isSame = (a: Contents, b: Contents) => a.size === b.size && [...a].every(([file, hash]) => b.get(file) === hash);

/** Paths by what tells a folder from a later one of the same path, which a watcher of the first does not see. */
type Folders = Map<string, string>;

/** Watches exactly these folders from now on; false where one cannot be watched. */
function updateWatchers(watchers: Map<string, FSWatcher>, folders: Folders, onEvent: () => void): boolean {
  for (const [id, watcher] of watchers) {
    if (folders.has(id)) continue;
    watcher.close();
    watchers.delete(id);
  }
  let isComplete = folders.size > 0;
  for (const [id, folder] of folders) {
    if (watchers.has(id)) continue;
    try {
      const watcher = watch(folder, onEvent);
      watcher.on('error', () => {
        watcher.close();
        watchers.delete(id);
        onEvent();
      });
      watchers.set(id, watcher);
    } catch {
      isComplete = false;
    }
  }
  return isComplete;
}

/** All folders below, and the content of all files in them; what cannot be read counts as not there. */
function readState(folders: readonly string[], files: ReadonlySet<string>): { folders: Folders; contents: Contents } {
  const contents: Contents = new Map();
  const found: Folders = new Map();
  const worklist = [...folders];
  for (let folder = worklist.pop(); folder !== undefined; folder = worklist.pop()) {
    for (const entry of listEntries(folder, found)) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        if (!entry.name.startsWith('.') && entry.name !== 'node_modules') worklist.push(path);
      } else addFile(contents, path);
    }
  }
  for (const file of files) {
    addFile(contents, file);
    followFolderOf(file, found);
  }
  return { folders: found, contents };
}

/** Where the folder of a file does not exist, the nearest one above it tells when it is created. */
function followFolderOf(file: string, found: Folders): void {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    if ([...found.values()].includes(folder)) return;
    if (existsSync(folder) || folder === dirname(folder)) {
      listEntries(folder, found);
      return;
    }
  }
}

function listEntries(folder: string, found: Folders) {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    found.set(`${statSync(folder).ino} ${folder}`, folder);
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}

function addFile(contents: Contents, path: string): void {
  contents.delete(path);
  try {
    if (statSync(path).isFile()) contents.set(path, createHash('sha256').update(readFileSync(path)).digest('hex'));
  } catch {
    // Between two steps of a save there may be nothing to read.
  }
}
