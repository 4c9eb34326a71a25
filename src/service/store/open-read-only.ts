/** Opens the SQLite file behind the embedded service for reading alone. */
import { accessSync, constants, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CliError } from '../../errors.ts';
import { isReady, SCHEMA } from './database.ts';
import { BUSY_TIMEOUT_MS, type Database, type Driver, driver, inTransaction, loadLibsql, patiently } from './libsql.ts';
import { dataFileError, isBarred, sqliteCode } from './store-errors.ts';

/**
 * Opens the file for reading: makes nothing, leaves nothing behind, and needs no rights to write. Where there is no
 * file, or nothing in it yet, the database is one without formulas and applications.
 * @throws CliError if libsql is not installed or the file cannot be read; it names the file.
 */
export async function openDatabaseToRead(file: string): Promise<Database> {
  const Opened = await driver(loadLibsql);
  try {
    const path = resolve(file);
    const ways = waysToRead(path);
    for (const [i, way] of ways.entries()) {
      const found = await readBy(Opened, path, way, i === ways.length - 1);
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
async function readBy(Opened: Driver, path: string, way: string, isLast: boolean): Promise<Database | undefined> {
  let database: Database | undefined;
  let isUsed = false;
  try {
    const opened = new Opened(`${pathToFileURL(path).href}?${way}`, { timeout: BUSY_TIMEOUT_MS });
    database = opened;
    opened.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    isUsed = await patiently(() => inTransaction(opened, 'DEFERRED', () => isReady(opened, path)));
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
