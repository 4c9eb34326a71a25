/** Whether the embedded service can store its data. */
import { loadDriver, loadLibsql } from './libsql.ts';
import { libsqlError } from './libsql-error.ts';

/** The version of the SQLite in libsql, which is run for that. Raises usage (2) where it cannot be used. */
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
