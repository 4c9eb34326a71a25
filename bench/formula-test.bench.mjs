/** formula test: 100 cases over one. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sideBySide } from './side-by-side.mjs';

const tool = join(import.meta.dirname, '../bin/formulary.js');
const example = join(import.meta.dirname, '../formulas-example/tokenize-card');
const [first] = JSON.parse(readFileSync(join(example, 'tests/cards.json'), 'utf8'));
const place = mkdtempSync(join(tmpdir(), 'formulary-bench-'));

/** A copy of the example with a number of tests. */
function withCases(count) {
  const folder = join(place, String(count));
  cpSync(example, folder, { recursive: true });
  writeFileSync(join(folder, 'tests/cards.json'), JSON.stringify(Array(count).fill(first)));
  return folder;
}

const test = (folder) =>
  execFileSync(process.execPath, [tool, 'formula', 'test', folder], { env: { PATH: '' }, stdio: 'pipe' });

try {
  const [hundred, one] = [withCases(100), withCases(1)];
  await sideBySide(['100 cases', () => test(hundred)], ['one case', () => test(one)], 5);
} finally {
  rmSync(place, { recursive: true });
}
