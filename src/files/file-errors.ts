/** What the file system refused, in words: the one table that turns its codes into messages about local files. */
import { CliError } from '../errors.ts';
import { explainDenial } from '../host/node-options.ts';

const REASONS: Readonly<Record<string, readonly [found: string, advice?: string]>> = {
  EACCES: ['you have no permission for it', 'change its permissions, or choose another place'],
  EBUSY: ['it is in use', 'try again later'],
  EDQUOT: ['your share of the disk is full', 'make room, or choose another place'],
  EEXIST: ['it is there already', 'choose another name'],
  EFBIG: ['it is larger than 64 MiB', 'name the right file'],
  EFTYPE: ['it is a pipe, socket or device', 'name a file'],
  EINVAL: ['the file system does not take it', 'choose another name or place'],
  EIO: ['the disk cannot be read or written', 'look after the disk, or choose another place'],
  EISDIR: ['it is a folder', 'name a file'],
  ELOOP: ['its symbolic links lead in a circle', 'mend the links, or name the place itself'],
  EMFILE: ['too many files are open', 'allow more with: ulimit -n'],
  ENAMETOOLONG: ['its name is too long', 'choose a shorter name'],
  ENFILE: ['too many files are open on this machine', 'try again later'],
  ENOENT: ['it is not there', 'check the spelling'],
  ENOSPC: ['the disk is full', 'make room, or choose another place'],
  ENOTDIR: ['something on its path is not a folder', 'check the path'],
  EXLINK: ['it is a link to a file that is outside the repository, or a dot file', 'replace the link by the file'],
  ENXIO: ['nothing reads from it', 'start what reads from it first, or name a file'],
  EPERM: ['it is not allowed', 'change its permissions, or choose another place'],
  EPIPE: ['what reads from it went away'],
  EROFS: ['the disk can only be read', 'choose another place'],
  ETXTBSY: ['it is a program that is running', 'choose another name'],
};

/** Windows refuses with the same codes where permissions are missing. */
const IN_USE = [
  'another program may have it open; the rename was retried for 1 s',
  'close the program that has it open, and run the command again',
] as const;

/** Whether a rename failed because another program may have the file open. */
export const isInUse = (error: unknown): boolean => (error as { isInUse?: boolean }).isInUse === true;

const findReason = (error: unknown) =>
  isInUse(error) ? IN_USE : (REASONS[(error as NodeJS.ErrnoException).code ?? ''] ?? []);

/** Why, with the code for those who know it: `the disk is full (ENOSPC)`. */
export function describeFsError(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const denial = explainDenial(error);
  if (denial) return denial.cause;
  const [found] = findReason(error);
  return found ? `${found} (${code})` : (code ?? message);
}

/** A usage error (2) about a local file: `problem` says which and what could not be done with it; then comes why. */
export function fileUsageError(problem: string, error: unknown, hint?: string): CliError {
  if (isMissingWorkingFolder(error)) return missingWorkingFolderError(error);
  const [, advice] = findReason(error);
  const found = explainDenial(error)?.hint ?? hint ?? advice;
  return new CliError('usage', `${problem}: ${describeFsError(error)}`, { hint: found, cause: error });
}

/** The usage error (2) of what the file system, or Node.js's permission model, threw where nobody looked for it; undefined for any other error. */
export function unexpectedFsError(error: unknown): CliError | undefined {
  if (isMissingWorkingFolder(error)) return missingWorkingFolderError(error);
  const denied = permissionModelError(error);
  if (denied) return denied;
  const { code, path, dest } = (error ?? {}) as NodeJS.ErrnoException & { dest?: unknown };
  if (typeof path !== 'string' || !Object.hasOwn(REASONS, code ?? '')) return undefined;
  return fileUsageError(`${typeof dest === 'string' ? dest : path} cannot be used`, error);
}

/** The usage error (2) of what Node.js's permission model denied; undefined for any other error. */
export function permissionModelError(error: unknown): CliError | undefined {
  const denial = explainDenial(error);
  if (!denial) return undefined;
  const { cause, hint, resource } = denial;
  return new CliError('usage', resource === '' ? cause : `${resource} cannot be used: ${cause}`, {
    hint,
    cause: error,
  });
}

const isMissingWorkingFolder = (error: unknown) => (error as NodeJS.ErrnoException | undefined)?.syscall === 'uv_cwd';

const missingWorkingFolderError = (cause: unknown) =>
  new CliError('usage', 'the working folder does not exist any more', { hint: 'change to a folder that does', cause });

/** The error with the path of the file in it, which the file system leaves out when a write fails. */
export function withPath(error: unknown, path: string): unknown {
  return error instanceof Error && 'code' in error ? Object.assign(error, { path }) : error;
}
