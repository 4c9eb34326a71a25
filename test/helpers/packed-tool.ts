/** The package as users get it: packed, and installed into a folder of its own without a network. */
import { execFileSync, spawnSync } from 'node:child_process';
import { delimiter, dirname, join } from 'node:path';

const PROJECT = join(import.meta.dirname, '../..');

export interface Packed {
  version: string;
  filename: string;
  unpackedSize: number;
  files: { path: string; size: number }[];
}

/** An environment of its own: no settings, nothing kept, no registry to ask, and `node` is the Node.js of the tests. */
export const packedEnv = (place: string) => ({
  PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH']}`,
  HOME: place,
  npm_config_cache: join(place, 'cache'),
  npm_config_update_notifier: 'false',
});

/** Packs the project into a folder, and installs it there. */
export function installPacked(place: string): Packed {
  const npm = (words: string[], cwd: string) =>
    execFileSync('npm', words, { cwd, env: packedEnv(place), encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  // Without scripts: dist/ is built by now, and other tests are using it.
  const packed = JSON.parse(npm(['pack', '--ignore-scripts', '--json', '--pack-destination', place], PROJECT))[0];
  const flags = ['--offline', '--omit=optional', '--ignore-scripts', '--no-audit', '--no-fund'];
  npm(['install', ...flags, join(place, packed.filename)], place);
  return packed;
}

/** Where the installed tool is run, if not in the folder of the installation. */
export interface PackedAt {
  cwd?: string;
  env?: Record<string, string>;
}

/** Runs the installed tool as its name on the path does. */
export function runPacked(place: string, words: readonly string[], { cwd = place, env = {} }: PackedAt = {}) {
  const { status, stdout, stderr } = spawnSync(join(place, 'node_modules/.bin/formulary'), words, {
    cwd,
    env: { ...packedEnv(place), ...env },
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}
