/** Paths in the project, independent of the current folder, and the modules that the build generates. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The absolute path of a file, from its path relative to the top of the project. */
export const at = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** Writes src/generated/NAME.js, which exports a value, and its declaration; `type` is a type of TypeScript. */
export function writeGenerated(name, value, type) {
  writeModule(
    name,
    `export default ${JSON.stringify(value)};\n`,
    `declare const value: ${type};\nexport default value;\n`,
  );
}

export function writeModule(name, code, declaration) {
  mkdirSync(at('src/generated'), { recursive: true });
  writeFileSync(at(`src/generated/${name}.js`), code);
  writeFileSync(at(`src/generated/${name}.d.ts`), declaration);
}
