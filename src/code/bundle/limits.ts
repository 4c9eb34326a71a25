/** How much a bundle may be made of. esbuild needs up to ten times the size of its sources as memory. */
const MIB = 1024 * 1024;

export const MAX_FILE_BYTES = 16 * MIB;
export const MAX_TOTAL_BYTES = 32 * MIB;
/** package.json, tsconfig.json. */
export const MAX_SETTINGS_BYTES = 4 * MIB;
/** The tables of Yarn. */
export const MAX_PNP_BYTES = 32 * MIB;
/** What a dynamic import may match, and how many folders and files are looked at for it. */
export const MAX_MATCHES = 1000;
export const MAX_VISITED = 20_000;
export const MAX_SECONDS = 60;
