/** What a pull does to a folder, as a table; and that any formula comes back from its folder as it was. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkFolder } from '../../../src/check/check-folder.ts';
import { parseFolderFormula, wholeBody } from '../../../src/folder/folder-formula.ts';
import { formatManifest, toFormulaFiles } from '../../../src/folder/formula-files.ts';
import { readFolder } from '../../../src/folder/read.ts';
import { changedFields, hashContent, toRequestBody } from '../../../src/formula-fields.ts';
import type { Formula, FormulaBody } from '../../../src/model.ts';
import { planPull } from '../../../src/sync/pull/plan-pull.ts';
import { assignFolders } from '../../../src/sync/pull/pull-folders.ts';
import { pullFormula } from '../../../src/sync/pull/write-formula.ts';
import { anyFormulas, anyText, legalCode, legalName } from '../../helpers/any-formula.ts';
import { CARD_CODE, CARD_MANIFEST, cardFiles, folderWith, JPEG, PIXEL } from '../../helpers/folders.ts';
import { runs } from '../../helpers/runs.ts';

const png = `data:image/png;base64,${PIXEL.toString('base64')}`;
const jpg = `data:image/jpg;base64, ${JPEG.toString('base64')}`;
const CARD = { id: '1', ...CARD_MANIFEST, code: CARD_CODE, icon: png } as Formula;

type Files = Record<string, string | Buffer>;

/** What a pull makes of a folder with these files, where the service has the formula, which was last seen with changes. */
function plan(files: Files, formula: Formula, seen: Partial<Formula> | undefined, force: boolean): string {
  const target = toFormulaFiles(formula);
  if ('problem' in target) throw new Error(target.problem);
  const baselineHash = seen && hashContent({ ...CARD, ...seen });
  const local = parseFolderFormula(readFolder(folderWith(files)));
  const planned = planPull({ formula, target, local, baselineHash, force });
  if (planned.outcome === 'written')
    return ['written', ...planned.files.keys(), ...planned.removed.map((file) => `-${file}`)].join(' ');
  return [planned.outcome, ...('files' in planned ? planned.files : [])].join(' ');
}

const CARD_FILES = cardFiles({}, { 'icon.png': PIXEL });
const CODE = { code: 'module.exports = 1;' };
const MINE = { ...CARD_FILES, 'code.js': 'mine' };
const SVG = 'data:image/svg+xml;base64,PHN2Zy8+';

describe('a folder in a pull', () => {
  // The files that are there; what differs on the service; what was last seen; and the outcome with files and -removed ones.
  it.each<[string, Files, Partial<Formula> | undefined, Partial<Formula> | undefined, string, force?: boolean]>([
    ['with the same content is not changed', CARD_FILES, {}, undefined, 'unchanged'],
    ['whose type is wrong is kept', cardFiles({ type: 'shared' }), {}, {}, 'kept manifest.json'],
    ['is filled when it is empty', {}, {}, undefined, 'written code.js icon.png manifest.json'],
    ['gets what is missing', cardFiles({ description: undefined }), {}, undefined, 'written icon.png manifest.json'],
    ['that was never seen and differs is kept', CARD_FILES, CODE, undefined, 'kept code.js'],
    ['that is as it was last seen is brought up to date, by the needed files', CARD_FILES, CODE, {}, 'written code.js'],
    [
      'without icon and description, as it was sent, is brought up to date',
      cardFiles({ description: undefined }),
      CODE,
      {},
      'written code.js icon.png manifest.json',
    ],
    ['that was changed here is kept', MINE, {}, {}, 'kept code.js'],
    ['changed on both sides is kept', MINE, { name: 'New', icon: null }, {}, 'kept manifest.json code.js icon.png'],
    ['that was changed here is overwritten by force', MINE, {}, undefined, 'written code.js', true],
    ['loses an icon that the service no longer has', CARD_FILES, { icon: null }, {}, 'written -icon.png'],
    ['keeps an icon that was never on the service', CARD_FILES, { icon: null }, undefined, 'kept icon.png'],
    ['gets an icon of another type for the old one', CARD_FILES, { icon: jpg }, {}, 'written icon.jpg -icon.png'],
    [
      'keeps the name of its icon file',
      cardFiles({}, { 'icon.PNG': Buffer.concat([PIXEL, PIXEL]) }),
      {},
      undefined,
      'written icon.PNG',
      true,
    ],
    ['with an unreadable manifest is kept', { ...CARD_FILES, 'manifest.json': '{' }, {}, {}, 'kept manifest.json'],
    ['with two icons is kept', { ...CARD_FILES, 'icon.jpg': JPEG }, {}, {}, 'kept icon.jpg icon.png'],
    ['with two code files is kept', { ...CARD_FILES, 'code.ts': '' }, {}, {}, 'kept code.ts'],
    [
      'never gets code.js next to other code, not even by force',
      { 'manifest.json': JSON.stringify(CARD_MANIFEST), 'code.ts': 'export default 1;' },
      {},
      undefined,
      'kept code.ts',
      true,
    ],
    ['may lack a byte order mark of the service', CARD_FILES, { code: `\ufeff${CARD_CODE}` }, undefined, 'unchanged'],
    ['may have an icon that no file can hold', cardFiles(), { icon: SVG, ...CODE }, { icon: SVG }, 'written code.js'],
  ])('%s', (_, files, remote, seen, expected, force = false) => {
    expect(plan(files, { ...CARD, ...remote }, seen, force)).toBe(expected);
  });
});

describe('the manifest of a pulled formula', () => {
  it('has the keys of the specification, and no empty ones', () => {
    const text = formatManifest({
      ...toRequestBody({ ...CARD, description: null }),
      request_parameters: [{ name: 'a', type: 'string', optional: false, description: null }],
    });
    expect(JSON.parse(text)).toEqual({
      name: CARD.name,
      type: 'private',
      configuration: [{ name: 'BRANDS', type: 'string' }],
      request_parameters: [{ name: 'a', type: 'string' }],
    });
  });

  it('preserves $schema and keys of users, and nothing else of the old one', () => {
    const old = { $schema: 's', owner: 'me', description: 'old' };
    const text = formatManifest({ ...toRequestBody(CARD), description: null }, old);
    const keys = '$schema name type configuration request_parameters owner';
    expect(Object.keys(JSON.parse(text)).join(' ')).toBe(keys);
  });
});

describe('an icon', () => {
  it.each([
    ['is SVG', 'data:image/svg+xml;base64,PHN2Zy8+', /an SVG image/],
    ['is not an image', 'data:image/png;base64,aGFsbG8=', /an unknown format/],
    ['is an address', 'https://tracker.example/i.png', /not base64/],
    ['is truncated', `data:image/png;base64,${PIXEL.subarray(0, 40).toString('base64')}`, /truncated/],
  ])('that %s is skipped with a reason', (_, icon, reason) => {
    const files = toFormulaFiles({ ...CARD, icon });
    expect(files).toMatchObject({ icon: undefined, iconProblem: expect.stringMatching(reason) });
  });

  it('with another type than its bytes, or with spaces, becomes a file, and its data URL is sent back', () => {
    for (const icon of [png.replace('png', 'jpeg'), png.replace(',', ', ')]) {
      expect(toFormulaFiles({ ...CARD, icon })).toMatchObject({ icon: { name: 'icon.png', bytes: PIXEL } });
    }
  });
});

const nameOf = ({ name }: Formula) => name;

/** Pulls into a new folder, twice; gives the folders. */
async function pulledTwice(list: readonly Formula[]): Promise<Map<Formula, string>> {
  const root = folderWith();
  const placed = assignFolders(list, list, {
    dir: root,
    ids: new Map(),
    isInScope: () => true,
    foldersByName: new Map(),
    getName: nameOf,
  });
  const client = {
    send: () => Promise.reject(new Error('no request is needed')),
    warn: () => undefined,
    command: (words: string) => words,
    redact: (text: string) => text,
  };
  const hostOptions = {
    client,
    root,
    undecided: new Map(),
    findBaselineHash: () => undefined,
    force: false,
    surroundings: { excludedFolders: [] },
    formatPath: (path: string) => path,
  };
  for (const outcome of ['written', 'unchanged']) {
    for (const place of placed) expect(await pullFormula(place, hostOptions)).toMatchObject({ outcome });
  }
  expect(readdirSync(root)).toHaveLength(list.length);
  return new Map(placed.map(({ formula, folder }) => [formula, folder]));
}

describe('any tree of formulas', () => {
  it('is read from its folders unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(anyFormulas(anyText, anyText), async (list) => {
        for (const [formula, folder] of await pulledTwice(list)) {
          expect(changedFields(wholeBody(parseFolderFormula(readFolder(folder))) as FormulaBody, formula)).toEqual([]);
          expect(readFileSync(join(folder, 'code.js'), 'utf8')).toBe(formula.code);
        }
      }),
      { numRuns: runs(20) },
    );
  });

  it('is valid if the formulas are, and sends the remote content', async () => {
    await fc.assert(
      fc.asyncProperty(anyFormulas(legalCode, legalName), async (list) => {
        for (const [formula, path] of await pulledTwice(list)) {
          const { body, findings } = await checkFolder({ displayPath: 'x', path });
          expect(findings.filter(({ level }) => level === 'error')).toEqual([]);
          expect(changedFields(body as FormulaBody, formula)).toEqual([]);
        }
      }),
      { numRuns: runs(12) },
    );
  });
});
