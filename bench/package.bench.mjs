/** Benchmark: how large the package is, packed and unpacked, and how many packages it brings without optional ones. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const project = join(import.meta.dirname, '..');
const { dependencies = {} } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));
const words = ['pack', '--dry-run', '--ignore-scripts', '--json'];
const [{ size, unpackedSize, entryCount }] = JSON.parse(
  execFileSync('npm', words, { cwd: project, stdio: ['ignore', 'pipe', 'ignore'] }),
);
const mebibytes = (bytes) => (bytes / 1024 / 1024).toFixed(2);

console.log(
  `\nthe package: ${mebibytes(size)} MiB packed, ${mebibytes(unpackedSize)} MiB unpacked, ${entryCount} files`,
);
console.log(
  `  ${Object.keys(dependencies).length} packages that it needs besides (target: none, and under 2 MB unpacked)`,
);
