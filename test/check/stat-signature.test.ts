/** What is told of a folder without reading it again. */
import { renameSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isUnchanged, readStatSignature, type StatSignature } from '../../src/check/stat-signature.ts';
import { readFolder } from '../../src/folder/read.ts';
import { CARD_CODE, cardFiles, folderWith, JPEG, PIXEL } from '../helpers/folders.ts';

const LATER = Date.now() + 3_600_000;

/** A folder in a folder, with its stamp as if nothing was changed just before it was read. */
function stamped(files: Record<string, string | Buffer> = cardFiles({}, { 'icon.png': PIXEL })) {
  const top = folderWith(Object.fromEntries(Object.entries(files).map(([name, text]) => [`card/${name}`, text])));
  const path = join(top, 'card');
  const stamp = readStatSignature(path, readFolder(path), LATER) as StatSignature;
  nextTick(top);
  return { top, path, stamp };
}

/** Goes on when the file system notes another time than before. */
function nextTick(folder: string): void {
  const timeOf = () => {
    writeFileSync(join(folder, 'clock'), '');
    return statSync(join(folder, 'clock')).ctimeMs;
  };
  for (const before = timeOf(); timeOf() === before; );
}

describe('a folder that was read', () => {
  it('is known to be unchanged', () => {
    const { stamp } = stamped();
    expect(isUnchanged(stamp)).toBe(true);
  });

  it.each<[string, (path: string, top: string) => void]>([
    ['its code has another size', (path) => writeFileSync(join(path, 'code.js'), `${CARD_CODE} `)],
    [
      'its code has other bytes, and the time of its last writing is set back',
      (path) => {
        const { atime, mtime } = statSync(join(path, 'code.js'));
        writeFileSync(join(path, 'code.js'), CARD_CODE.toUpperCase());
        utimesSync(join(path, 'code.js'), atime, mtime);
      },
    ],
    ['its manifest is gone', (path) => rmSync(join(path, 'manifest.json'))],
    ['its icon has another name', (path) => renameSync(join(path, 'icon.png'), join(path, 'icon.PNG'))],
    ['it has another icon', (path) => writeFileSync(join(path, 'icon.jpg'), JPEG)],
    [
      'its code is replaced by a link',
      (path, top) => {
        writeFileSync(join(top, 'other.js'), CARD_CODE);
        rmSync(join(path, 'code.js'));
        symlinkSync(join(top, 'other.js'), join(path, 'code.js'));
      },
    ],
    [
      'its code is replaced by a link to itself',
      (path) => {
        rmSync(join(path, 'code.js'));
        symlinkSync('code.js', join(path, 'code.js'));
      },
    ],
    ['it is gone', (path) => rmSync(path, { recursive: true })],
  ])('is seen to have changed where %s', (_, change) => {
    const { top, path, stamp } = stamped();
    change(path, top);
    expect(isUnchanged(stamp)).toBe(false);
  });

  it('is seen to have changed where the file that its code is a link to has', () => {
    const top = folderWith({ 'card/manifest.json': '{}', 'other.js': CARD_CODE });
    const path = join(top, 'card');
    symlinkSync(join(top, 'other.js'), join(path, 'code.js'));
    const stamp = readStatSignature(path, readFolder(path), LATER) as StatSignature;
    nextTick(top);
    writeFileSync(join(top, 'other.js'), CARD_CODE);
    expect(isUnchanged(stamp)).toBe(false);
  });

  it('has no stamp where it was changed while it was read, or just before', () => {
    const path = folderWith(cardFiles());
    const { ctimeMs } = statSync(join(path, 'code.js'));
    const contents = readFolder(path);
    expect([ctimeMs - 1000, ctimeMs + 50].map((begunAt) => readStatSignature(path, contents, begunAt))).toEqual([
      undefined,
      undefined,
    ]);
    expect(readStatSignature(path, contents, ctimeMs + 1000)).toBeDefined();
    rmSync(join(path, 'code.js'));
    expect(readStatSignature(path, contents, LATER)).toBeUndefined();
  });
});
