/** Turns errors of the file system into messages. */
import { CliError } from '../errors.ts';
import { explainDenial } from '../host/node-options.ts';

const CHECK_PERMISSIONS = 'Check its permissions, or choose another location.';
const FREE_SPACE = 'Free up space, or choose another location.';
const USE_FILE = 'Use the path of a regular file.';

const REASONS: Readonly<Record<string, readonly [reason: string, hint?: string]>> = {
  EACCES: ['permission denied', CHECK_PERMISSIONS],
  EBUSY: ['it is in use', 'Try again later.'],
  EDQUOT: ['the disk quota is exceeded', FREE_SPACE],
  EEXIST: ['it already exists', 'Choose another name.'],
  EFBIG: ['it is larger than 64 MiB', 'Check the path.'],
  EFTYPE: ['it is a pipe, socket, or device', USE_FILE],
  EINVAL: ['the file system rejected the name', 'Choose another name or location.'],
  EIO: ['input/output error', 'Check the disk, or choose another location.'],
  EISDIR: ['it is a folder', USE_FILE],
  ELOOP: ['too many symbolic links', 'Fix the symbolic links, or use the real path.'],
  EMFILE: ['too many open files', 'Raise the limit with: ulimit -n'],
  ENAMETOOLONG: ['the name is too long', 'Choose a shorter name.'],
  ENFILE: ['too many open files on this computer', 'Try again later.'],
  ENOENT: ['it does not exist', 'Check the path.'],
  ENOSPC: ['the disk is full', FREE_SPACE],
  ENOTDIR: ['part of the path is not a folder', 'Check the path.'],
  EXLINK: ['it is a link to a file outside the repository, or to a dot file', 'Replace the link with the file.'],
  ENXIO: ['no process is reading from the pipe', 'Start the reader first, or use the path of a file.'],
  EPERM: ['operation not permitted', CHECK_PERMISSIONS],
  EPIPE: ['the reader closed the pipe'],
  EROFS: ['the file system is read-only', 'Choose another location.'],
  ETXTBSY: ['it is a running program', 'Choose another name.'],
};

/** Windows returns the same codes for missing permissions. */
const IN_USE = [
  'another program may have it open; the rename was retried for 1 s',
  'Close the other program and run the command again.',
] as const;

/** Whether a rename failed because another program may have the file open. */
export const isInUse = (error: unknown): boolean => (error as { isInUse?: boolean }).isInUse === true;

const findReason = (error: unknown) =>
  isInUse(error) ? IN_USE : (REASONS[(error as NodeJS.ErrnoException).code ?? ''] ?? []);

/** The reason with the code: `the disk is full (ENOSPC)`. */
export function describeFsError(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const denial = explainDenial(error);
  if (denial) return denial.cause;
  const [reason] = findReason(error);
  return reason ? `${reason} (${code})` : (code ?? message);
}

/** A usage error (2) about a local file; `problem` is "could not …" with the path, and the reason is added. A CliError stays as it is. */
export function fileUsageError(problem: string, error: unknown, hint?: string): CliError {
  if (error instanceof CliError) return error;
  if (isMissingWorkingFolder(error)) return missingWorkingFolderError(error);
  const [, reasonHint] = findReason(error);
  return new CliError('usage', `${problem}: ${describeFsError(error)}`, {
    hint: explainDenial(error)?.hint ?? hint ?? reasonHint,
    cause: error,
  });
}

/** A usage error (2) for an uncaught error of the file system or the permission model; undefined for any other error. */
export function unexpectedFsError(error: unknown): CliError | undefined {
  if (isMissingWorkingFolder(error)) return missingWorkingFolderError(error);
  const denied = permissionModelError(error);
  if (denied) return denied;
  const { code, path, dest } = (error ?? {}) as NodeJS.ErrnoException & { dest?: unknown };
  if (typeof path !== 'string' || !Object.hasOwn(REASONS, code ?? '')) return undefined;
  return fileUsageError(`could not use ${typeof dest === 'string' ? dest : path}`, error);
}

/** A usage error (2) for an error of Node.js's permission model; undefined for any other error. */
export function permissionModelError(error: unknown): CliError | undefined {
  const denial = explainDenial(error);
  if (!denial) return undefined;
  const { cause, hint, resource } = denial;
  return new CliError('usage', resource === '' ? cause : `could not use ${resource}: ${cause}`, {
    hint,
    cause: error,
  });
}

const isMissingWorkingFolder = (error: unknown) => (error as NodeJS.ErrnoException | undefined)?.syscall === 'uv_cwd';

const missingWorkingFolderError = (cause: unknown) =>
  new CliError('usage', 'the current folder no longer exists', { hint: 'Change to another folder.', cause });

/** Adds the path, which errors of writes to a descriptor lack. */
export function withPath(error: unknown, path: string): unknown {
  return error instanceof Error && 'code' in error ? Object.assign(error, { path }) : error;
}
