/** Checks that libsql works. */
import { loadDriver, loadLibsql } from './libsql.ts';
import { libsqlError } from './libsql-error.ts';

/** Runs libsql and returns its SQLite version. Raises usage (2) if it is unusable. */
export async function readLibsqlVersion(): Promise<string> {
  const Database = await loadDriver(loadLibsql);
  try {
    const database = new Database(':memory:', { timeout: 0 });
    const { version } = database.prepare('SELECT sqlite_version() AS version').get() as { version: string };
    database.close();
    return `SQLite ${version}`;
  } catch (error) {
    throw libsqlError(error);
  }
}
