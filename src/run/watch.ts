/** Reports changes to the content of files: once for a burst of events, and also after a save that replaces a file. */
import { createHash } from 'node:crypto';
import { existsSync, type FSWatcher, fstatSync, readdirSync, readFileSync, statSync, watch } from 'node:fs';
import { basename, dirname, join } from 'node:path';

export interface Watch {
  /** Resolves at the next change after the last one reported. */
  waitForChange(): Promise<void>;
  /** While a run is in progress, changes to files that it does not read are its own, and those files are ignored. */
  setRunning(isRunning: boolean): void;
  /** Ignores the change to a file that the tool itself wrote. */
  markWritten(file: string): void;
  /** Watches another file, which may not exist yet. */
  add(file: string): void;
  close(): void;
}

const DEBOUNCE_MS = 100;
/** Poll interval where the system cannot watch, or while a folder is missing. */
const POLL_MS = 500;

/** Watches folders recursively, except node_modules and dot folders, and single files. */
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
  const ignored = new Set<string>();
  let isRunning = false;
  const isOutput = (file: string) => ignored.has(file) || isOutputOfTool(file);
  const checkForChanges = () => {
    const found = readState(folders, files);
    watchedFolders = found.folders;
    const changed = listChanges(found.contents, knownContents).filter((file) => !isOutput(file));
    knownContents = found.contents;
    const own = isRunning ? changed.filter((file) => !files.has(file) && !isInput(file)) : [];
    for (const file of own) ignored.add(file);
    if (changed.length > own.length) {
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
    setRunning: (running) => {
      // Changes until now belong to the state before.
      checkForChanges();
      isRunning = running;
    },
    markWritten: (file) => addFile(knownContents, file),
    add: (file) => {
      if (files.has(file)) return;
      files.add(file);
      if (knownContents.has(file)) return;
      addFile(knownContents, file);
      addFolderOf(file, watchedFolders);
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

const listChanges = (now: Contents, before: Contents): string[] =>
  [...new Set([...now.keys(), ...before.keys()])].filter((file) => now.get(file) !== before.get(file));

/** Whether a file of a formula is read by every run. */
const isInput = (file: string): boolean =>
  /^(manifest\.json|code\.\w+|icon\.\w+|package\.json|tsconfig\.json)$/i.test(basename(file)) ||
  (file.endsWith('.json') && basename(dirname(file)) === 'tests');

/** Whether the output of the tool is redirected to a file. */
function isOutputOfTool(file: string): boolean {
  try {
    const { dev, ino } = statSync(file);
    return [1, 2].some((descriptor) => {
      const output = fstatSync(descriptor);
      return output.isFile() && output.dev === dev && output.ino === ino;
    });
  } catch {
    return false;
  }
}

/** Folder paths by inode and path: a watcher does not see a new folder that replaced the one it was created for. */
type Folders = Map<string, string>;

/** Updates the watchers to these folders; false if one cannot be watched. */
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

/** Lists all subfolders, and hashes all files. Unreadable entries count as missing. */
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
    addFolderOf(file, found);
  }
  return { folders: found, contents };
}

/** If the folder of a file does not exist, the nearest existing ancestor is watched for its creation. */
function addFolderOf(file: string, found: Folders): void {
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
    // The file may be missing during a save.
  }
}
