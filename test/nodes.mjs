/**
 * Runs the tests on the Node.js releases that users run: `npm run test:nodes -- [--smoke] [22|24|26] [ARGUMENT...]`.
 * --smoke runs only the tests of the packed tool, and of what differs between the releases; other arguments go to vitest, for example the files to test.
 */
import { spawnSync } from 'node:child_process';
import { delimiter, dirname, join } from 'node:path';
import { installNode } from './helpers/real-node.mjs';

const RELEASES = ['22', '24', '26'];
const SMOKE = ['packed', 'smoke', 'session', 'code/target', 'node-options', 'optional-packages'].map(
  (name) => `test/${name}.test.ts`,
);
const VITEST = join(import.meta.dirname, '../node_modules/vitest/vitest.mjs');

const words = process.argv.slice(2).flatMap((word) => (word === '--smoke' ? SMOKE : [word]));
const chosen = words.filter((word) => RELEASES.includes(word));
const rest = words.filter((word) => !RELEASES.includes(word));

/** Runs the tests on a release, and returns how they ended. */
function outcomeOn(release) {
  process.stdout.write(`\nNode.js ${release}\n`);
  const node = installNode(release);
  if (!node) return 'not available (the releases of the tests are for Linux on x64)';
  // What the tests start as `node` or `npm` runs on that Node.js too.
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env['PATH']}` };
  const { status, signal } = spawnSync(node, [VITEST, 'run', ...rest], { stdio: 'inherit', env });
  if (signal) return `ended by ${signal}`;
  return status === 0 ? 'passed' : 'failed';
}

const ended = (chosen.length > 0 ? chosen : RELEASES).map((release) => ({ release, outcome: outcomeOn(release) }));
for (const { release, outcome } of ended) process.stdout.write(`Node.js ${release}: ${outcome}\n`);
process.exitCode = ended.every(({ outcome }) => outcome === 'passed') ? 0 : 1;
