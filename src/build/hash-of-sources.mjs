/** Names a build by all that goes into it, so that what an earlier one has left behind is told from its own. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { at } from './paths.mjs';

export function hashOfSources() {
  const sources = readdirSync(at('src'), { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.[a-z]*[jt]s$/.test(file),
  );
  const hash = createHash('sha256');
  for (const file of [...sources.map((name) => `src/${name}`).sort(), 'package-lock.json']) {
    hash.update(file).update(readFileSync(at(file)));
  }
  return hash.digest('hex').slice(0, 16);
}
