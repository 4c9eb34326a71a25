/** Identifies a build by a hash of its inputs, so that caches of other builds are not used. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Sixteen hex digits, of the packages' versions and of each file below `src`, its tables too. What is generated there is
 * left out: it is made of the others.
 * @param {string} top the folder that holds `src` and `package-lock.json`
 */
export function hashOfSources(top) {
  const sources = readdirSync(join(top, 'src'), { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.\w+$/.test(file) && !file.startsWith('generated'),
  );
  const hash = createHash('sha256');
  for (const file of [...sources.map((name) => `src/${name}`).sort(), 'package-lock.json']) {
    hash.update(file).update(readFileSync(join(top, file)));
  }
  return hash.digest('hex').slice(0, 16);
}
