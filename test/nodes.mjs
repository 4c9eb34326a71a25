/**
 * Runs the tests on the Node.js releases that users run: `npm run test:nodes -- [--smoke] [22|24|26] [ARGUMENT...]`.
 * --smoke runs the tests of the packed tool alone; other arguments go to vitest, for example the files to test.
 */
import { spawnSync } from 'node:child_process';
import { delimiter, dirname, join } from 'node:path';
import { installNode } from './helpers/real-node.mjs';

const RELEASES = ['22', '24', '26'];
const SMOKE = ['packed', 'smoke', 'session', 'code/target'].map((name) => `test/${name}.test.ts`);
const VITEST = join(import.meta.dirname, '../node_modules/vitest/vitest.mjs');

const words = process.argv.slice(2).flatMap((word) => (word === '--smoke' ? SMOKE : [word]));
const chosen = words.filter((word) => RELEASES.includes(word));
const rest = words.filter((word) => !RELEASES.includes(word));

function passesOn(release) {
  process.stdout.write(`\nNode.js ${release}\n`);
  const node = installNode(release);
  if (!node) {
    process.stderr.write('error: the Node.js releases of the tests are for Linux on x64\n');
    return false;
  }
  // What the tests start as `node` or `npm` runs on that Node.js too.
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env['PATH']}` };
  return spawnSync(node, [VITEST, 'run', ...rest], { stdio: 'inherit', env }).status === 0;
}

const ended = (chosen.length > 0 ? chosen : RELEASES).map((release) => ({ release, passed: passesOn(release) }));
for (const { release, passed } of ended) process.stdout.write(`Node.js ${release}: ${passed ? 'passed' : 'failed'}\n`);
process.exitCode = ended.every(({ passed }) => passed) ? 0 : 1;
