/**
 * How much a bundle may be made of. esbuild takes up to 70 times the size of dense code as memory; the largest of 48
 * popular packages has sources of 2.7 MB.
 */
export const MIB = 1024 * 1024;

export const MAX_FILE_BYTES = 8 * MIB;
export const MAX_TOTAL_BYTES = 10 * MIB;
/** Of what comes out, which is parsed again. */
export const MAX_BUNDLE_BYTES = 4 * MIB;
/** package.json, tsconfig.json. */
export const MAX_SETTINGS_BYTES = 4 * MIB;
/** The tables of Yarn. */
export const MAX_PNP_BYTES = 32 * MIB;
/** What a dynamic import may match, and how many folders and files are looked at for it. */
export const MAX_MATCHES = 1000;
export const MAX_VISITED = 20_000;
export const MAX_SECONDS = 30;
/** Of esbuild's process. */
export const MAX_MEMORY_MIB = 640;
