/** Checking many folders: the same is found, in the same order, however many threads do it. */
import { spawnSync } from 'node:child_process';
import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkFolders } from '../../src/check/check-folders.ts';
import { cardFiles, folderWith } from '../helpers/folders.ts';

const TOOL = join(import.meta.dirname, '../../bin/formulary.js');
const COUNT = 150;
const CHECK_OPTIONS = { bundleContext: { excludedFolders: [] } };

/** Folders of every kind that is treated in its own way: valid, with findings, and with code that must be bundled. */
function mixedFolders() {
  const kinds = [
    cardFiles(),
    cardFiles({ type: 'x' }),
    cardFiles({ nmae: 1 }, { 'code.js': 'module.exports = {' }),
    { ...cardFiles(), 'code.js': "module.exports = async () => fetch('x');" },
  ];
  const bundled = {
    'manifest.json': cardFiles()['manifest.json'],
    'code.ts': 'export default async (x: object) => x;',
  };
  const files = Array.from({ length: COUNT }, (_, i) => (i % 40 === 7 ? bundled : (kinds[i % 4] ?? bundled)));
  const names = files.map((_, i) => `f${String(i).padStart(3, '0')}`);
  const root = folderWith(
    Object.fromEntries(
      files.flatMap((one, i) => Object.entries(one).map(([name, text]) => [`${names[i]}/${name}`, text])),
    ),
  );
  return names.map((name) => ({ displayPath: join(root, name), path: join(root, name) }));
}

describe('many folders', () => {
  it('have the same results in threads as in the main thread, in the order of their names', async () => {
    const places = mixedFolders();
    const expected: object[] = [];
    for await (const { folder, name, body, findings } of checkFolders(places, CHECK_OPTIONS)) {
      expected.push({ folder, name, outcome: body ? 'valid' : 'invalid', findings });
    }
    const { stdout, stderr } = spawnSync(
      process.execPath,
      [TOOL, 'formula', 'validate', join(places[0]?.path ?? '', '..'), '--json'],
      { encoding: 'utf8', env: {} },
    );
    expect(stderr).toBe('');
    expect(JSON.parse(stdout).items).toEqual(expected);
  });

  it('stop at the first that cannot be read, after the ones before it', async () => {
    const places = mixedFolders();
    const gone = places[120]?.path ?? '';
    rmSync(gone, { recursive: true });
    symlinkSync('nowhere', gone);
    const found: string[] = [];
    const all = async () => {
      for await (const { folder } of checkFolders(places, CHECK_OPTIONS)) found.push(folder);
    };
    await expect(all()).rejects.toMatchObject({ outcome: 'usage' });
    expect(found).toEqual(places.slice(0, 120).map(({ displayPath }) => displayPath));
  });
});
