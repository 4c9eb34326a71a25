/** Runs commands one after the other in this process, as bench/soak.mjs asks: pushes with changes, lists, diffs, pulls and what fails. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { withSource } from './source.mjs';
import { stringWorld } from './world.mjs';

const FOLDERS = 12;

await withSource(async ({ folder, file }) => {
  const tool = createRequire(import.meta.url)(file);
  const root = join(folder, 'formulas');
  const env = { ...process.env, XDG_STATE_HOME: join(folder, 'state'), FORMULARY_TARGET: 'soak' };
  const run = async (wanted, ...words) => {
    const { host, texts } = stringWorld({ cwd: folder, env, processIdentity: tool.processIdentity });
    const code = await tool.main(['formula', ...words], host);
    if (!wanted.includes(code)) throw new Error(`${words.join(' ')} ended with ${code}: ${texts.err}`);
  };
  for (let round = 0; ; round++) {
    for (let i = 0; i < FOLDERS; i++) write(join(root, `f${i}`), i, i % 3 === 0 ? round : 0);
    await run([0, 10], 'diff', root);
    await run([0], 'push', root, '--no-history');
    await run([0], 'list', '--json');
    await run([0], 'validate', root);
    rmSync(join(folder, 'pulled'), { recursive: true, force: true });
    await run([0, 7], 'pull', '--dir', join(folder, 'pulled'));
    await run([5], 'get', 'There is none of this name');
    await run([8], 'list', '--base-url', 'http://127.0.0.1:9', '--retry-timeout', '1');
  }
});

function write(folder, number, version) {
  mkdirSync(folder, { recursive: true });
  const manifest = { name: `Soak ${number}`, type: 'private', configuration: [], request_parameters: [] };
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest));
  writeFileSync(
    join(folder, 'code.js'),
    `module.exports = async () => ({ raw: ${version} });\n// ${'x'.repeat(4_000)}\n`,
  );
}
