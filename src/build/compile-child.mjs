/** Compiles the scripts of processes that the tool starts into texts; that of a formula may run in a Node.js 16. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';
import { at } from './paths.mjs';

/** Each script, where it is written, and the oldest Node.js that runs it. */
const CHILDREN = [{ entry: 'src/run/child.ts', name: 'formula-child', target: 'node16' }];

/** Writes src/generated/<name>.js (the script as a string) and its type declaration for each of them. */
export async function compileChildren() {
  mkdirSync(at('src/generated'), { recursive: true });
  for (const { entry, name, target } of CHILDREN) {
    const { outputFiles } = await build({
      absWorkingDir: at('.'),
      entryPoints: [entry],
      bundle: true,
      platform: 'node',
      // What the script of -e declares at its top would be global.
      format: 'iife',
      target,
      minify: true,
      write: false,
    });
    writeFileSync(at(`src/generated/${name}.js`), `export default ${JSON.stringify(outputFiles[0].text)};\n`);
    writeFileSync(at(`src/generated/${name}.d.ts`), 'declare const script: string;\nexport default script;\n');
  }
}
