/** Opens the SQLite file of the embedded service, and rejects other files. */
import { closeSync, openSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { CliError } from '../../errors.ts';
import { makeFolders } from '../../files/atomic-write.ts';
import { type Database, LONG_WAIT, loadDriver, retryWhileBusy, runInTransaction, type Wait } from './libsql.ts';
import { getSqliteCode, toStoreError } from './store-errors.ts';

const SCHEMA_VERSION = 1;

/**
 * Names and formulas are stored as JSON, which escapes NUL and unpaired surrogates; libsql would truncate or lose them.
 * `seq` is the order of creation; AUTOINCREMENT never reuses a number.
 */
export const SCHEMA = `
  CREATE TABLE formulas (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL, document TEXT NOT NULL
  );
  CREATE TABLE applications (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL, type TEXT NOT NULL,
    permissions TEXT NOT NULL, key_hash TEXT NOT NULL UNIQUE, created_at TEXT NOT NULL
  );
  PRAGMA user_version = ${SCHEMA_VERSION};
`;

/**
 * Opens or creates the file; several processes may do so at the same time.
 * @throws CliError if libsql is not installed or the file is unusable; it names the file.
 */
export async function openDatabase(file: string, { busyMs, abortSignal }: Wait = LONG_WAIT): Promise<Database> {
  const DatabaseClass = await loadDriver();
  let database: Database | undefined;
  try {
    // Absolute, because libsql treats `http:` and `libsql:` as URLs of servers.
    const path = resolve(file);
    createFile(path);
    const opened = new DatabaseClass(path, { timeout: busyMs });
    database = opened;
    await retryWhileBusy(() => prepareFile(opened, path, busyMs), abortSignal);
    return opened;
  } catch (error) {
    database?.close();
    throw toStoreError(file, error);
  }
}

/** Creates folder and file for this user only. An existing file is not opened, because closing it would release SQLite's locks. */
function createFile(path: string): void {
  makeFolders(dirname(path), 0o700);
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (getSqliteCode(error) !== 'EEXIST') throw error;
  }
}

function prepareFile(database: Database, path: string, busyMs: number): void {
  database.exec(`PRAGMA busy_timeout = ${busyMs}`);
  // Checked before anything is written, so that a file of another program stays unchanged.
  if (isEmpty(runInTransaction(database, 'DEFERRED', () => readSchema(database, path)))) {
    database.exec('PRAGMA journal_mode = WAL');
    runInTransaction(database, 'IMMEDIATE', () => {
      // Checked again under the lock: another process may have been faster.
      if (isEmpty(readSchema(database, path))) database.exec(SCHEMA);
    });
  }
  database.exec('PRAGMA synchronous = FULL');
}

interface DatabaseSchema {
  version: number;
  tables: readonly string[];
}

export const isEmpty = ({ version, tables }: DatabaseSchema): boolean => version === 0 && tables.length === 0;

/** Reads the schema, in a transaction. Raises usage (2) for that of another program, or of a newer version. */
export function readSchema(database: Database, path: string): DatabaseSchema {
  const { user_version: version } = database.prepare('PRAGMA user_version').get() as { user_version: number };
  if (version > SCHEMA_VERSION) {
    const message = `${path} is from a newer version of formulary (schema ${version}, supported: ${SCHEMA_VERSION})`;
    throw new CliError('usage', message, { hint: 'Update formulary, or use another data file.' });
  }
  const rows = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all() as { name: string }[];
  const schema = { version, tables: rows.map(({ name }) => name) };
  const isOurs = version > 0 && ['formulas', 'applications'].every((table) => schema.tables.includes(table));
  if (!isOurs && !isEmpty(schema)) {
    const message = `${path} is a database of another program`;
    throw new CliError('usage', message, { hint: 'Use another data file.' });
  }
  return schema;
}
