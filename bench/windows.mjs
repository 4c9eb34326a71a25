/**
 * `npm run check:windows`: runs the packed tool on the Windows build of Node.js under Wine, against the embedded service
 * on loopback. Requires a network and Wine, so `npm test` does not run it.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TOOL, withFolder } from './processes.mjs';
import { embedded, expectRun, offline, online } from './windows-steps.mjs';
import { findWine, hasCompiler, installUnderWine, startTool, stopWine, until } from './wine.mjs';

const KEY = 'key_0123456789abcdefghijABCDEFGHIJ01';
const VERSION = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')).version;
const PACKAGES = 'sudo apt-get install wine64 gcc-mingw-w64-x86-64';
/** libsql and esbuild load under Wine only with a DLL that the compiler makes. */
const HAS_NATIVE = hasCompiler();

const counts = { ok: 0, failed: 0, skipped: 0 };

async function step(title, check, isPossible = true) {
  if (!isPossible) {
    counts.skipped++;
    return console.log(`skipped  ${title}`);
  }
  try {
    await check();
    counts.ok++;
    console.log(`ok       ${title}`);
  } catch (error) {
    counts.failed++;
    console.log(`failed   ${title}\n${String(error.message).replace(/^/gm, '           ')}`);
  }
}

/** The embedded service under Wine if libsql loads there, otherwise on this system. */
async function startService(world) {
  const words = ['service', 'start', '--data', join(world.folder, 'service.db')];
  const more = { FORMULARY_SERVICE_KEY: KEY };
  if (HAS_NATIVE) {
    const { child, out } = startTool(world, words, more);
    await until(() => out().includes('\n') || child.exitCode !== null);
    return { child, url: out().trim() };
  }
  const env = { PATH: process.env.PATH, HOME: world.folder, ...more };
  const child = spawn(process.execPath, [TOOL, ...words], { env, stdio: ['ignore', 'pipe', 'ignore'] });
  const [line] = await new Promise((done) => child.stdout.once('data', (bytes) => done([String(bytes)])));
  return { child, url: line.trim() };
}

async function check(folder, wine) {
  const world = installUnderWine(folder, wine);
  try {
    await step('starts', () => expectRun(world, ['--version'], { out: VERSION }));
    await offline(world, step, HAS_NATIVE);
    await embedded(world, step, HAS_NATIVE);
    const { child, url } = await startService(world);
    await step(HAS_NATIVE ? 'service start' : 'service start (not under Wine)', () =>
      assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/),
    );
    await online(world, step, { url, key: KEY, hasNative: HAS_NATIVE });
    child.kill();
    await step('prints no error of Node.js or V8', () => {
      const found = world.printed.find((text) => /^Error: |^ +at /m.test(text));
      assert.equal(found, undefined);
    });
    await step('the key is printed nowhere', () => assert.ok(!world.printed.some((text) => text.includes(KEY))));
  } finally {
    stopWine(world);
  }
}

const wine = findWine();
if (wine === undefined) {
  console.error(`Wine is not installed, so nothing was checked. On Debian and Ubuntu, run: ${PACKAGES}`);
  process.exitCode = 1;
} else {
  if (!HAS_NATIVE)
    console.log(
      `note: without the MinGW compiler, libsql and esbuild do not load under Wine. To install it, run: ${PACKAGES}`,
    );
  await withFolder((folder) => check(folder, wine));
  console.log(`${counts.ok} ok, ${counts.failed} failed, ${counts.skipped} skipped`);
  process.exitCode = counts.failed > 0 ? 1 : 0;
}
