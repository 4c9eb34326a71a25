/** npm run bench: runs every bench/*.bench.mjs, or those whose names are given. */
import { readdirSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';

const [{ model }] = cpus();
const load = loadavg()[0]?.toFixed(1);
console.log(
  `${new Date().toISOString().slice(0, 10)}, Node.js ${process.version}, ${cpus().length} × ${model}, load ${load}`,
);

const wanted = process.argv.slice(2);
const names = readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith('.bench.mjs'))
  .filter((name) => wanted.length === 0 || wanted.some((word) => name.startsWith(word)));

for (const name of names.sort()) {
  console.log(`\n${name}`);
  await import(`./${name}`);
}
