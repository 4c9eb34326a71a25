/** What it means for the user when the data file of the embedded service cannot be used. */
import { CliError } from '../../errors.ts';
import { describeFsError } from '../../files/file-errors.ts';
import { explainDenial } from '../../host/node-options.ts';

/** SQLite's name for what went wrong, such as `SQLITE_CONSTRAINT_UNIQUE`, or the file system's; empty for any other error. */
export function getSqliteCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** SQLite's result code without what extends it; libsql says the one of a failed open in its message alone. */
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

/** Whether a way of opening a file is barred, by rights or by the disk, so that another may still be open. */
export function isAccessError(error: unknown): boolean {
  const result = getResultCode(error);
  return result !== undefined && [PERM, READONLY, IOERR, FULL, CANTOPEN].includes(result);
}

/** The error for the user, which names the file: usage (2) where another file helps, unavailable (8) where waiting or room does. Other errors as they are. */
export function toStoreError(path: string, error: unknown): unknown {
  if (error instanceof CliError) return error;
  const [outcome, problem, hint] = classifyStoreError(error) ?? [];
  if (outcome === undefined) return error;
  return new CliError(outcome, `the data file ${path} ${problem}`, { hint, cause: error });
}

type StoreFailure = [outcome: 'usage' | 'unavailable', problem: string, hint: string];

const OTHER_FILE = 'use another data file (FORMULARY_LOCAL_DATA, or --data of the service commands)';
const DISK_FULL: StoreFailure = [
  'unavailable',
  'cannot grow: the disk is full',
  'make room, then try again; nothing was changed',
];

function classifyStoreError(error: unknown): StoreFailure | undefined {
  const result = getResultCode(error);
  const code = getSqliteCode(error);
  if (result === FULL || code === 'ENOSPC') return DISK_FULL;
  if (result === undefined) {
    const denial = explainDenial(error);
    if (!denial && !/^E[A-Z]+$/.test(code)) return undefined;
    const hint = denial?.hint ?? `${OTHER_FILE}, or look at the rights of this one and its folder`;
    return ['usage', `cannot be opened: ${describeFsError(error)}`, hint];
  }
  return SQLITE_FAILURES.get(result) ?? ['usage', `cannot be used: ${(error as Error).message}`, OTHER_FILE];
}

const SQLITE_FAILURES: ReadonlyMap<number, StoreFailure> = new Map([
  [BUSY, ['unavailable', 'is held by another process', 'try again when that has ended']],
  [LOCKED, ['unavailable', 'is held by another process', 'try again when that has ended']],
  [READONLY, ['usage', 'or its folder cannot be written', `${OTHER_FILE}, or look at its rights`]],
  [PERM, ['usage', 'cannot be opened', `${OTHER_FILE}, or look at its rights`]],
  [CANTOPEN, ['usage', 'cannot be opened', `${OTHER_FILE}, or look at the rights of this one and its folder`]],
  [
    IOERR,
    ['unavailable', 'cannot be read or written: the disk failed, or is full', 'look at the disk, then try again'],
  ],
  [CORRUPT, ['usage', 'is damaged', OTHER_FILE]],
  [NOTADB, ['usage', 'is not a database', OTHER_FILE]],
]);
