/** Opens the SQLite file of the embedded service read-only. */
import { accessSync, constants, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CliError } from '../../errors.ts';
import { isEmpty, readSchema, SCHEMA } from './database.ts';
import {
  type Database,
  type Driver,
  LONG_WAIT,
  loadDriver,
  retryWhileBusy,
  runInTransaction,
  type Wait,
} from './libsql.ts';
import { getSqliteCode, isAccessError, toStoreError } from './store-errors.ts';

/**
 * Opens the file read-only, without creating files and without permission to write. A missing or empty file is an empty
 * database.
 * @throws CliError if libsql is not installed or the file cannot be read; it names the file.
 */
export async function openDatabaseReadOnly(file: string, wait = LONG_WAIT): Promise<Database> {
  const DatabaseClass = await loadDriver();
  try {
    const path = resolve(file);
    const openModes = listOpenModes(path);
    for (const [i, mode] of openModes.entries()) {
      const found = await tryOpen(DatabaseClass, { path, mode, isLast: i === openModes.length - 1 }, wait);
      if (found) return found;
    }
  } catch (error) {
    throw toStoreError(file, error);
  }
  const empty = new DatabaseClass(':memory:', { timeout: 0 });
  empty.exec(SCHEMA);
  return empty;
}

/** The modes to open a file for reading, in the order of attempts; none for a missing or empty file. */
function listOpenModes(path: string): string[] {
  const size = getFileSize(path);
  if (size === undefined || size === 0) return [];
  // Without permission to write, SQLite would leave its -wal and -shm files behind. An existing -wal must be read.
  const readOnlyMode = getFileSize(`${path}-wal`) ? 'mode=ro' : 'immutable=1';
  return isWritable(path) ? ['mode=rw', readOnlyMode] : [readOnlyMode];
}

/** The database; undefined if it is empty, or if this mode is denied and not the last. */
async function tryOpen(
  DatabaseClass: Driver,
  { path, mode, isLast }: { path: string; mode: string; isLast: boolean },
  { busyMs, abortSignal }: Wait,
): Promise<Database | undefined> {
  let database: Database | undefined;
  let isReturned = false;
  try {
    const opened = new DatabaseClass(`${pathToFileURL(path).href}?${mode}`, { timeout: busyMs });
    database = opened;
    opened.exec(`PRAGMA busy_timeout = ${busyMs}`);
    const schema = await retryWhileBusy(
      () => runInTransaction(opened, 'DEFERRED', () => readSchema(opened, path)),
      abortSignal,
    );
    isReturned = !isEmpty(schema);
    return isReturned ? opened : undefined;
  } catch (error) {
    if (isLast || error instanceof CliError || !isAccessError(error)) throw error;
    return undefined;
  } finally {
    if (!isReturned) database?.close();
  }
}

/** The size of a file; undefined if it does not exist. */
function getFileSize(path: string): number | undefined {
  try {
    return statSync(path).size;
  } catch (error) {
    if (/^(ENOENT|ENOTDIR)$/.test(getSqliteCode(error))) return undefined;
    throw error;
  }
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
