/** The options with which esbuild bundles a formula. */
import type { BuildOptions } from 'esbuild';
import { ENTRY } from './messages.ts';
import { createSourcePlugin } from './plugin.ts';
import type { Sources } from './sources.ts';

export function createBuildOptions(file: string, sources: Sources) {
  return {
    // The service requires the function itself as module.exports, not an object with a default.
    stdin: {
      contents: `import formula from './${file}';\nmodule.exports = formula;\n`,
      sourcefile: ENTRY,
    },
    absWorkingDir: sources.fileAccess.folder,
    plugins: [createSourcePlugin(sources)],
    // Otherwise esbuild would read tsconfig.json itself.
    tsconfigRaw: { compilerOptions: sources.tsConfigs.find(sources.fileAccess.folder)?.compilerOptions ?? {} },
    outfile: 'code.js',
    write: false,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node16',
    charset: 'utf8',
    sourcemap: 'external',
    sourcesContent: false,
    logLevel: 'silent',
    metafile: true,
    // Syntax that Node.js 16 cannot parse is not compiled, so that the rules find it.
    supported: { 'regexp-set-notation': true, 'dynamic-import': false },
  } as const satisfies BuildOptions;
}
