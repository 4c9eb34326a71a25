/** A folder that was checked without findings is not checked again until one of its files changes. */
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CheckResult } from '../../src/check/check-folder.ts';
import { checkFolders } from '../../src/check/check-folders.ts';
import { CARD_CODE, cardFiles, folderWith, JPEG, PIXEL } from '../helpers/folders.ts';

/** Checks one folder; `found` are the hashes of clean folders. */
async function check(path: string, known: ReadonlySet<string> = new Set()) {
  const found = new Set<string>();
  const results: CheckResult[] = [];
  const options = { bundleContext: { excludedFolders: [] }, clean: { known, found } };
  for await (const result of checkFolders([{ displayPath: 'card', path }], options)) results.push(result);
  const [{ durationMs: _, ...result }] = results as [CheckResult];
  return { result, found };
}

describe('a folder without findings', () => {
  it.each<[string, Record<string, string | Buffer>]>([
    ['with an icon', cardFiles({}, { 'icon.png': PIXEL })],
    ['with a mark', { 'manifest.json': `\ufeff${cardFiles()['manifest.json']}`, 'code.js': `\ufeff${CARD_CODE}` }],
    ['without a description', cardFiles({ description: undefined }, { 'icon.JPG': JPEG })],
    ['with null where that is allowed', cardFiles({ description: null })],
  ])('has the same result when it is known: %s', async (_, files) => {
    const path = folderWith(files);
    const { result, found } = await check(path);
    expect(result).toMatchObject({ findings: [], body: { name: 'Tokenize a card' } });
    expect(found.size).toBe(1);
    expect(await check(path, found)).toEqual({ result, found });
  });

  it.each<[string, (path: string) => void]>([
    ['its code', (path) => writeFileSync(join(path, 'code.js'), `${CARD_CODE} `)],
    ['its manifest', (path) => writeFileSync(join(path, 'manifest.json'), `${cardFiles()['manifest.json']}\n`)],
    ['its icon', (path) => writeFileSync(join(path, 'icon.png'), Buffer.concat([PIXEL, PIXEL]))],
    ['the name of its icon', (path) => renameSync(join(path, 'icon.png'), join(path, 'icon.PNG'))],
    ['a second icon', (path) => writeFileSync(join(path, 'icon.jpg'), JPEG)],
    ['a second code file', (path) => writeFileSync(join(path, 'code.mjs'), '')],
    ['its code, now empty', (path) => writeFileSync(join(path, 'code.js'), '')],
  ])('is checked again after a change of %s', async (_, change) => {
    const path = folderWith(cardFiles({}, { 'icon.png': PIXEL }));
    const { found } = await check(path);
    change(path);
    expect(await check(path, found)).toEqual(await check(path));
  });

  it.each([
    ['code.ts, whose bundle contains other files', { 'code.ts': 'export default async (request: object) => request;' }],
    ['a finding', { 'code.js': 'module.exports = () => ({ raw: {} });' }],
  ])('is not remembered with %s', async (_, code) => {
    const files = { 'manifest.json': cardFiles()['manifest.json'], ...code };
    const { result, found } = await check(folderWith(files));
    expect(result.body).toBeDefined();
    expect(found.size).toBe(0);
  });
});
