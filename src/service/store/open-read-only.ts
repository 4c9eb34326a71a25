/** Opens the SQLite file behind the embedded service for reading alone. */
import { accessSync, constants, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CliError } from '../../errors.ts';
import { isReady, SCHEMA } from './database.ts';
import {
  type Database,
  type Driver,
  driver,
  inTransaction,
  LONG_WAIT,
  loadLibsql,
  patiently,
  type Wait,
} from './libsql.ts';
import { dataFileError, isBarred, sqliteCode } from './store-errors.ts';

/**
 * Opens the file for reading: makes nothing, leaves nothing behind, and needs no rights to write. Where there is no
 * file, or nothing in it yet, the database is one without formulas and applications.
 * @throws CliError if libsql is not installed or the file cannot be read; it names the file.
 */
export async function openDatabaseToRead(file: string, wait = LONG_WAIT): Promise<Database> {
  const Opened = await driver(loadLibsql);
  try {
    const path = resolve(file);
    const ways = waysToRead(path);
    for (const [i, way] of ways.entries()) {
      const found = await readBy(Opened, { path, way, isLast: i === ways.length - 1 }, wait);
      if (found) return found;
    }
  } catch (error) {
    throw dataFileError(file, error);
  }
  const empty = new Opened(':memory:', { timeout: 0 });
  empty.exec(SCHEMA);
  return empty;
}

/** How to open a file to read it, what is usual first; none where there is nothing to read. */
function waysToRead(path: string): string[] {
  const size = sizeOf(path);
  if (size === undefined || size === 0) return [];
  // Without rights to write SQLite would leave its two side files behind. Where there are some, their content counts.
  const untouched = sizeOf(`${path}-wal`) ? 'mode=ro' : 'immutable=1';
  return isWritable(path) ? ['mode=rw', untouched] : [untouched];
}

/** The database, or undefined where it is empty, or this way is barred and not the last. */
async function readBy(
  Opened: Driver,
  { path, way, isLast }: { path: string; way: string; isLast: boolean },
  { busyMs, stopping }: Wait,
): Promise<Database | undefined> {
  let database: Database | undefined;
  let isUsed = false;
  try {
    const opened = new Opened(`${pathToFileURL(path).href}?${way}`, { timeout: busyMs });
    database = opened;
    opened.exec(`PRAGMA busy_timeout = ${busyMs}`);
    isUsed = await patiently(() => inTransaction(opened, 'DEFERRED', () => isReady(opened, path)), stopping);
    return isUsed ? opened : undefined;
  } catch (error) {
    if (isLast || error instanceof CliError || !isBarred(error)) throw error;
    return undefined;
  } finally {
    if (!isUsed) database?.close();
  }
}

/** The size of a file, or undefined where there is none. */
function sizeOf(path: string): number | undefined {
  try {
    return statSync(path).size;
  } catch (error) {
    if (/^(ENOENT|ENOTDIR)$/.test(sqliteCode(error))) return undefined;
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
