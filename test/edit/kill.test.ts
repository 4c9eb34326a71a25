/** formula edit that is killed in the middle: each file is the old one or the new one, and the next run finishes the rest. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cardFiles, folderWith, formulas, inFolder } from '../helpers/folders.ts';
import { runs } from '../helpers/runs.ts';
import { runTool } from '../helpers/tool-process.ts';

const FOLDERS = runs(100);

/** Ends the process with `kill -9` at a rename, before or after it. */
const killer = (rename: number, isDone: boolean) => `
const fs = require('fs');
const { renameSync } = fs;
let count = 0;
fs.renameSync = (...paths) => {
  count += 1;
  if (count === ${rename} && !${isDone}) process.kill(process.pid, 'SIGKILL');
  renameSync(...paths);
  if (count === ${rename}) process.kill(process.pid, 'SIGKILL');
};
`;

describe.runIf(process.platform !== 'win32')('an edit that is killed', () => {
  it.each([
    ['before', false],
    ['after', true],
  ])('%s a file is replaced leaves each file old or new; the next run completes it', async (_, isDone) => {
    const names = Array.from({ length: FOLDERS }, (_unused, i) => `f${String(i).padStart(4, '0')}`);
    const texts = names.map((name) => cardFiles({ name })['manifest.json'] as string);
    const middle = FOLDERS / 2;
    const cwd = folderWith({ ...inFolder('formulas', formulas(...names)), 'kill.cjs': killer(middle, isDone) });
    const words = ['formula', 'edit', 'formulas', '--set', 'description=new'];
    const expected = texts.map((text) => text.replace('"Tokenizes a card"', '"new"'));
    const manifests = () => names.map((name) => readFileSync(join(cwd, 'formulas', name, 'manifest.json'), 'utf8'));

    const env = { NODE_OPTIONS: `--require ${join(cwd, 'kill.cjs')}` };
    expect((await runTool(words, { cwd, env })).status).toBeNull();
    const written = isDone ? middle : middle - 1;
    expect(manifests()).toEqual([...expected.slice(0, written), ...texts.slice(written)]);
    // What a killed write leaves behind has a name of the tool's own, which a later run removes.
    const left = names
      .flatMap((name) => readdirSync(join(cwd, 'formulas', name)))
      .filter((name) => !/\.js(on)?$/.test(name));
    expect(left.every((name) => /^\.formulary-[0-9a-f]{8}$/.test(name))).toBe(true);
    expect(left).toHaveLength(isDone ? 0 : 1);

    const { status, err } = await runTool(words, { cwd });
    expect([status, err.split('\n')[0]]).toEqual([0, `${FOLDERS - written} edited, ${written} unchanged`]);
    expect(manifests()).toEqual(expected);
  });
});
