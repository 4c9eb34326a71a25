/** A small run of bench/clone-storm.mjs: clones on two computers, kills, failures, and changes by hand. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const STORM = join(import.meta.dirname, '../../bench/clone-storm.mjs');

it.each([1, 2])(
  'pushes from several clones lose no change, and report no false conflict (seed %i)',
  async (seed) => {
    const words = [STORM, '--folders', '12', '--seeds', '1', '--from', `${seed}`, '--steps', '8'];
    const { stdout } = await promisify(execFile)(process.execPath, words);
    expect(stdout).toMatch(/\d+ conflicts, .*\nno change lost, no false conflict, no false mark, no duplicate\n$/);
  },
  120_000,
);
