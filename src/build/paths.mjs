/** Where the project is, whatever folder a script is called from. */
import { fileURLToPath } from 'node:url';

/** The absolute path of a file of the project, given relative to its top. */
export const at = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
