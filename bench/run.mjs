/** npm run bench: runs every bench/*.bench.mjs, or those whose names are given. */
import { readdirSync } from 'node:fs';

const wanted = process.argv.slice(2);
const names = readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith('.bench.mjs'))
  .filter((name) => wanted.length === 0 || wanted.some((word) => name.startsWith(word)));

for (const name of names.sort()) {
  console.log(`\n${name}`);
  await import(`./${name}`);
}
