/** What is kept of a checked folder: enough to send it later without a second check, and to see that it changed. */
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkFolder, readBodyIfUnchanged } from '../../src/check/check-folder.ts';
import { checkFormulaFolder } from '../../src/check/check-formula.ts';
import { CARD_CODE, cardFiles, folderWith, JPEG, PIXEL } from '../helpers/folders.ts';

const CHECK_OPTIONS = { bundleContext: { excludedFolders: [] }, withContent: true };

async function judgedFolder(files: Record<string, string | Buffer>) {
  const path = folderWith(files);
  const place = { displayPath: 'card', path };
  const { content } = await checkFolder(place, CHECK_OPTIONS);
  return { place, path, files: content?.folderHash ?? '' };
}

describe('a valid folder', () => {
  it.each<[string, Record<string, string | Buffer>]>([
    ['with all there is', cardFiles({ $schema: 'x', unknown: 1 }, { 'icon.png': PIXEL })],
    [
      'with a byte order mark',
      { 'manifest.json': `\ufeff${cardFiles()['manifest.json']}`, 'code.js': `\ufeff${CARD_CODE}` },
    ],
    ['without a description', cardFiles({ description: undefined, configuration: [] }, { 'icon.JPG': JPEG })],
    ['with null where that is allowed', cardFiles({ description: null })],
  ])('returns the body of its check if it is unchanged: %s', async (_, files) => {
    const { place, files: print } = await judgedFolder(files);
    const { body } = await checkFormulaFolder(place);
    expect(body).toBeDefined();
    expect(readBodyIfUnchanged(place, print)).toEqual(body);
  });

  it.each<[string, (path: string) => void]>([
    ['its code', (path) => writeFileSync(join(path, 'code.js'), `${CARD_CODE} `)],
    ['its manifest', (path) => writeFileSync(join(path, 'manifest.json'), `${cardFiles()['manifest.json']}\n`)],
    ['its icon', (path) => writeFileSync(join(path, 'icon.png'), Buffer.concat([PIXEL, PIXEL]))],
    ['the name of its icon', (path) => renameSync(join(path, 'icon.png'), join(path, 'icon.PNG'))],
    ['a second icon', (path) => writeFileSync(join(path, 'icon.jpg'), JPEG)],
    ['a second code file', (path) => writeFileSync(join(path, 'code.mjs'), '')],
    ['the positions of bytes', (path) => writeFileSync(join(path, 'code.js'), '')],
  ])('is detected as changed: %s', async (_, change) => {
    const { place, path, files } = await judgedFolder(cardFiles({}, { 'icon.png': PIXEL }));
    change(path);
    expect(readBodyIfUnchanged(place, files)).toBeUndefined();
  });

  it('has no hash if its code comes from other files too', async () => {
    const { 'code.js': _, ...files } = cardFiles(
      {},
      { 'code.ts': 'export default async (request: object) => request;' },
    );
    const { content } = await checkFolder({ displayPath: 'card', path: folderWith(files) }, CHECK_OPTIONS);
    expect(content).toMatchObject({ body: { name: 'Tokenize a card' }, folderHash: undefined });
  });

  it('is not checked again if its files are in the clean cache, and is if one byte differs', async () => {
    const files = cardFiles({}, { 'icon.png': PIXEL });
    const place = { displayPath: 'card', path: folderWith(files) };
    const first = await checkFolder(place, CHECK_OPTIONS);
    const again = { ...CHECK_OPTIONS, knownClean: new Set([first.content?.folderHash ?? '']) };
    const never = () => Promise.reject(new Error('the code was read'));
    expect(await checkFolder(place, again, never)).toEqual(first);
    writeFileSync(join(place.path, 'code.js'), `${CARD_CODE} `);
    await expect(checkFolder(place, again, never)).rejects.toThrow('the code was read');
  });
});
