/** Converts errors of the data file to errors for the user. */
import { CliError } from '../../errors.ts';
import { describeFsError } from '../../files/file-errors.ts';
import { explainDenial } from '../../host/node-options.ts';

/** The code of SQLite, such as `SQLITE_CONSTRAINT_UNIQUE`, or of the file system; '' for other errors. */
export function getSqliteCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** SQLite's primary result code; for a failed open it is only in the message of libsql. */
function getResultCode(error: unknown): number | undefined {
  const { rawCode, message = '' } = error as { rawCode?: unknown; message?: string };
  if (typeof rawCode === 'number') return rawCode & 0xff;
  const [, digits] = /^ConnectionFailed\(.*: (\d+)"\)$/s.exec(message) ?? [];
  return digits === undefined ? undefined : Number(digits) & 0xff;
}

/** Result codes of SQLite. */
const PERM = 3;
const BUSY = 5;
const LOCKED = 6;
const READONLY = 8;
const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
const NOTADB = 26;

/** Whether permissions or the disk deny a mode of opening a file; another mode may work. */
export function isAccessError(error: unknown): boolean {
  const result = getResultCode(error);
  return result !== undefined && [PERM, READONLY, IOERR, FULL, CANTOPEN].includes(result);
}

/** Returns usage (2) if another file helps, unavailable (8) for a temporary problem; other errors unchanged. */
export function toStoreError(path: string, error: unknown): unknown {
  if (error instanceof CliError) return error;
  const [outcome, problem, hint] = classifyStoreError(error) ?? [];
  if (outcome === undefined) return error;
  return new CliError(outcome, `the data file ${path} ${problem}`, { hint, cause: error });
}

type StoreFailure = [outcome: 'usage' | 'unavailable', problem: string, hint: string];

const OTHER_FILE = 'Use another data file (FORMULARY_LOCAL_DATA, or --data of service commands).';
const CHECK_PERMISSIONS =
  'Check the permissions of the file and its folder, or use another data file (FORMULARY_LOCAL_DATA, or --data of service commands).';
const DISK_FULL: StoreFailure = [
  'unavailable',
  'cannot grow: the disk is full',
  'Free disk space and try again. No changes were made.',
];

function classifyStoreError(error: unknown): StoreFailure | undefined {
  const result = getResultCode(error);
  const code = getSqliteCode(error);
  if (result === FULL || code === 'ENOSPC') return DISK_FULL;
  if (result === undefined) {
    const denial = explainDenial(error);
    if (!denial && !/^E[A-Z]+$/.test(code)) return undefined;
    const hint = denial?.hint ?? CHECK_PERMISSIONS;
    return ['usage', `cannot be opened: ${describeFsError(error)}`, hint];
  }
  return SQLITE_FAILURES.get(result) ?? ['usage', `cannot be used: ${(error as Error).message}`, OTHER_FILE];
}

const SQLITE_FAILURES: ReadonlyMap<number, StoreFailure> = new Map([
  [BUSY, ['unavailable', 'is locked by another process', 'Try again when that process has ended.']],
  [LOCKED, ['unavailable', 'is locked by another process', 'Try again when that process has ended.']],
  [READONLY, ['usage', 'or its folder is not writable', CHECK_PERMISSIONS]],
  [PERM, ['usage', 'cannot be opened', CHECK_PERMISSIONS]],
  [CANTOPEN, ['usage', 'cannot be opened', CHECK_PERMISSIONS]],
  [IOERR, ['unavailable', 'cannot be read or written: the disk failed, or is full', 'Check the disk and try again.']],
  [CORRUPT, ['usage', 'is damaged', OTHER_FILE]],
  [NOTADB, ['usage', 'is not a database', OTHER_FILE]],
]);
