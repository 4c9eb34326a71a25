/** npm's prepare script: builds if the development packages are installed; otherwise keeps an existing dist. */
import { existsSync } from 'node:fs';
import { at } from './paths.mjs';

const canBuild = ['ajv', 'esbuild', 'commander'].every((name) => existsSync(at(`node_modules/${name}`)));
if (canBuild) await import('./build.mjs');
else if (!existsSync(at('dist/load.js'))) {
  console.error(
    'formulary: not built, since the packages of the build are not installed; run: npm ci --include=dev && npm run build',
  );
}
