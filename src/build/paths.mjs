/** Paths in the project, independent of the current folder. */
import { fileURLToPath } from 'node:url';

/** The absolute path of a file, from its path relative to the top of the project. */
export const at = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
