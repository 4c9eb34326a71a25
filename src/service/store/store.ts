/** Stores formulas and applications of the embedded service in a SQLite file. */
import { CliError } from '../../errors.ts';
import type { ConfigurationElement, RequestParameter } from '../../model.ts';
import { openDatabase } from './database.ts';
import { type Database, runInTransaction, type Wait } from './libsql.ts';
import { openDatabaseReadOnly } from './open-read-only.ts';
import { getSqliteCode, toStoreError } from './store-errors.ts';

/** The fields of spec 2.3, in their order. */
export interface StoredFormula {
  id: string;
  name: string;
  description: string | null;
  type: 'official' | 'private';
  status: 'verified' | 'coming_soon';
  icon: string | null;
  code: string;
  configuration: ConfigurationElement[];
  request_parameters: RequestParameter[];
  created_at: string;
  created_by: string;
  modified_at: string | null;
  modified_by: string | null;
  /** The name of the application, which is not in the specification. */
  modified_by_name?: string;
}

/** The store contains only a hash of the key. */
export interface Application {
  id: string;
  name: string;
  type: string;
  permissions: string[];
  created_at: string;
}

export interface StoredFormulaPage {
  total: number;
  formulas: StoredFormula[];
}

export interface Store {
  formulas: ReturnType<typeof createFormulaRepository>;
  applications: ReturnType<typeof createApplicationRepository>;
  close(): void;
}

/**
 * Opens the file, or creates it and its folder.
 * @throws CliError if libsql is not installed or the file is unusable; it names the file. So do the store's methods.
 */
export async function openStore(file: string, wait?: Wait): Promise<Store> {
  return createStore(await openDatabase(file, wait), file);
}

/** Opens the file for reading; a missing file is not created and counts as empty. */
export async function openStoreReadOnly(file: string, wait?: Wait): Promise<Store> {
  return createStore(await openDatabaseReadOnly(file, wait), file);
}

function createStore(database: Database, file: string): Store {
  return {
    formulas: withStoreErrors(createFormulaRepository(database), file),
    applications: withStoreErrors(createApplicationRepository(database), file),
    close: () => {
      database.close();
    },
  };
}

/** Converts errors of the data file in all methods. */
function withStoreErrors<T extends object>(repository: T, file: string): T {
  const methods = Object.entries(repository).map(([name, method]: [string, (...values: unknown[]) => unknown]) => [
    name,
    (...values: unknown[]) => {
      try {
        return method(...values);
      } catch (error) {
        throw toStoreError(file, error);
      }
    },
  ]);
  return Object.fromEntries(methods);
}

/** Formulas, oldest first. `replace` and `remove` return false if the id does not exist. */
function createFormulaRepository(database: Database) {
  const insert = database.prepare('INSERT INTO formulas (id, name, document) VALUES (?, ?, ?)');
  const replace = database.prepare('UPDATE formulas SET name = ?, document = ? WHERE id = ?');
  const remove = database.prepare('DELETE FROM formulas WHERE id = ?');
  const get = database.prepare('SELECT document FROM formulas WHERE id = ?');
  const getBySeq = database.prepare('SELECT document FROM formulas WHERE seq = ?');
  const count = database.prepare('SELECT count(*) AS total FROM formulas');
  const page = database.prepare('SELECT document FROM formulas ORDER BY seq LIMIT ? OFFSET ?');
  const names = database.prepare('SELECT seq, name FROM formulas ORDER BY seq');

  const listAll = (start: number, size: number): StoredFormulaPage => {
    const { total } = count.get() as { total: number };
    return { total, formulas: start < total ? page.all(size, start).map(parseFormula) : [] };
  };
  const listMatching = (matches: (name: string) => boolean, start: number, size: number): StoredFormulaPage => {
    const rows = (names.all() as { seq: number; name: string }[]).filter((row) => matches(JSON.parse(row.name)));
    return {
      total: rows.length,
      formulas: rows.slice(start, start + size).map((row) => parseFormula(getBySeq.get(row.seq))),
    };
  };

  return {
    insert: (formula: StoredFormula) => {
      insert.run(formula.id, JSON.stringify(formula.name), JSON.stringify(formula));
    },
    /** A page (from 1) of the formulas whose name matches, and the total number of matches. */
    list: (matches: ((name: string) => boolean) | undefined, number: number, size: number) => {
      const start = (number - 1) * size;
      // One snapshot, so that count and page match despite other processes.
      return runInTransaction(database, 'DEFERRED', () =>
        matches ? listMatching(matches, start, size) : listAll(start, size),
      );
    },
    get: (id: string) => {
      const row = get.get(id);
      return row === undefined ? undefined : parseFormula(row);
    },
    replace: (formula: StoredFormula) =>
      replace.run(JSON.stringify(formula.name), JSON.stringify(formula), formula.id).changes > 0,
    remove: (id: string) => remove.run(id).changes > 0,
  };
}

function parseFormula(row: unknown): StoredFormula {
  return JSON.parse((row as { document: string }).document);
}

/** Applications, oldest first. */
function createApplicationRepository(database: Database) {
  const columns = 'id, name, type, permissions, created_at';
  const insert = database.prepare(`INSERT INTO applications (${columns}, key_hash) VALUES (?, ?, ?, ?, ?, ?)`);
  const insertFirst = database.prepare(
    `INSERT INTO applications (${columns}, key_hash) SELECT ?, ?, ?, ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM applications)`,
  );
  const find = database.prepare(`SELECT ${columns} FROM applications WHERE key_hash = ?`);
  const list = database.prepare(`SELECT ${columns} FROM applications ORDER BY seq`);
  const remove = database.prepare('DELETE FROM applications WHERE id = ?');

  return {
    /** @throws CliError `usage` if another application has this key. */
    insert: (application: Application, keyHash: string) => {
      try {
        insert.run(...toColumnValues(application), keyHash);
      } catch (error) {
        if (getSqliteCode(error) !== 'SQLITE_CONSTRAINT_UNIQUE') throw error;
        throw new CliError('usage', 'another application already has this key', { hint: 'Use another key.' });
      }
    },
    /** Inserts only the first application, also if several processes try at the same time; false if one exists. */
    insertFirst: (application: Application, keyHash: string) =>
      insertFirst.run(...toColumnValues(application), keyHash).changes > 0,
    findByKeyHash: (keyHash: string) => {
      const row = find.get(keyHash);
      return row === undefined ? undefined : parseApplication(row);
    },
    list: () => list.all().map(parseApplication),
    remove: (id: string) => remove.run(id).changes > 0,
  };
}

function toColumnValues({ id, name, type, permissions, created_at }: Application): string[] {
  return [id, name, type, JSON.stringify(permissions), created_at];
}

function parseApplication(row: unknown): Application {
  const { id, name, type, permissions, created_at } = row as Omit<Application, 'permissions'> & { permissions: string };
  return { id, name, type, permissions: JSON.parse(permissions), created_at };
}
