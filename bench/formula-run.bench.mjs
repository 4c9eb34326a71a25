/** formula run over the same code in a bare node: what the contract, the checks and the second process cost. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sideBySide } from './side-by-side.mjs';

const tool = join(import.meta.dirname, '../bin/formulary.js');
const example = join(import.meta.dirname, '../formulas-example/tokenize-card');
const request = {
  args: { card: { number: '4242 4242 4242 4242', expiry: { month: 12, year: 2030 } } },
  configuration: { ALLOWED_BRANDS: 'visa' },
};
const place = mkdtempSync(join(tmpdir(), 'formulary-bench-'));
const script = join(place, 'bare.js');
writeFileSync(
  script,
  `require(${JSON.stringify(join(example, 'code.js'))})(${JSON.stringify(request)}).then((r) => console.log(JSON.stringify(r)));`,
);
const node = (words) => execFileSync(process.execPath, words, { env: { PATH: '' }, stdio: 'pipe' });
const flags = Object.entries(request).flatMap(([name, value]) => [`--${name}`, JSON.stringify(value)]);

try {
  await sideBySide(
    ['formulary formula run', () => node([tool, 'formula', 'run', example, ...flags])],
    ['node file.js', () => node([script])],
  );
} finally {
  rmSync(place, { recursive: true });
}
