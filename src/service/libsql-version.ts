/** Whether the embedded service can have its data here. */
import { driver, loadLibsql } from './driver.ts';

/** The version of the SQLite in libsql, which is asked for it; undefined where it is not installed, or cannot run. */
export async function libsqlVersion(): Promise<string | undefined> {
  try {
    const Database = await driver(loadLibsql);
    const database = new Database(':memory:', { timeout: 0 });
    const { version } = database.prepare('SELECT sqlite_version() AS version').get() as { version: string };
    database.close();
    return `SQLite ${version}`;
  } catch {
    return undefined;
  }
}
