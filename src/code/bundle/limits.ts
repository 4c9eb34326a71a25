/** Limits of bundles. esbuild uses up to 70 times the size of dense code. The largest of 48 popular packages has 2.7 MB. */
export const MIB = 1024 * 1024;

export const MAX_FILE_BYTES = 8 * MIB;
export const MAX_TOTAL_BYTES = 10 * MIB;
/** The size of the bundle, which is parsed again. */
export const MAX_BUNDLE_BYTES = 4 * MIB;
/** package.json, tsconfig.json. */
export const MAX_SETTINGS_BYTES = 4 * MIB;
/** Files that a dynamic import may match, and entries that are visited to find them. */
export const MAX_MATCHES = 1000;
export const MAX_VISITED = 20_000;
/** For a folder; as soon as one has used them up, also for all that are left. */
export const MAX_SECONDS = 15;
/** Memory of esbuild's process. */
export const MAX_MEMORY_MIB = 640;
