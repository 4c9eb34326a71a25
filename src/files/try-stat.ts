/** Looks at paths that may be missing or inaccessible; using them reports why. */
import { lstatSync, readdirSync, type Stats, statSync } from 'node:fs';
import { attempt } from '../errors.ts';

/** An error for each missing file would take far longer than the question. */
const QUIETLY = { throwIfNoEntry: false } as const;

/** The metadata of a file, or of the target of a symbolic link; undefined on any error. */
export const tryStat = (path: string): Stats | undefined => attempt(() => statSync(path, QUIETLY));

/** The same for a symbolic link itself. */
export const tryLstat = (path: string): Stats | undefined => attempt(() => lstatSync(path, QUIETLY));

/** The names in a folder; none on any error. */
export const tryListNames = (folder: string): string[] => attempt(() => readdirSync(folder)) ?? [];
