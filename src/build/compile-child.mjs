/** Compiles the script of the process that runs a formula into a text, since that process may be a Node.js 16. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';
import { at } from './paths.mjs';

/** Writes src/generated/formula-child.js (the script as a string) and its type declaration. */
export async function compileChild() {
  const { outputFiles } = await build({
    absWorkingDir: at('.'),
    entryPoints: ['src/run/child.ts'],
    bundle: true,
    platform: 'node',
    // What a script of -e declares at its top is global, and so open to the formula.
    format: 'iife',
    target: 'node16',
    minify: true,
    write: false,
  });
  mkdirSync(at('src/generated'), { recursive: true });
  writeFileSync(at('src/generated/formula-child.js'), `export default ${JSON.stringify(outputFiles[0].text)};\n`);
  writeFileSync(at('src/generated/formula-child.d.ts'), 'declare const script: string;\nexport default script;\n');
}
