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

interface Case {
  /** The files that are there. */
  there: Record<string, string | Buffer>;
  /** What differs on the service from the card. */
  remote?: Partial<Formula>;
  /** What was last seen. */
  seen?: Partial<Formula>;
  force?: boolean;
}

function step({ there, remote = {}, seen, force = false }: Case) {
  const formula = { ...CARD, ...remote };
  const wanted = toFormulaFiles(formula);
  if ('problem' in wanted) throw new Error(wanted.problem);
  const known = seen && hashContent({ ...CARD, ...seen });
  const plan = planPull({
    formula,
    target: wanted,
    local: parseFolderFormula(readFolder(folderWith(there))),
    baselineHash: known,
    force,
  });
  if (plan.outcome !== 'written') return plan;
  return { ...plan, files: [...plan.files.keys()] };
}

const CARD_FILES = cardFiles({}, { 'icon.png': PIXEL });
const written = (files: string[], removed: string[] = []) => ({ outcome: 'written', files, removed });
const kept = (...files: string[]) => ({ outcome: 'kept', files });
const NEW = 'module.exports = 1;';

describe('a folder in a pull', () => {
  it.each<[string, Case, object]>([
    ['with the same content is not changed', { there: CARD_FILES }, { outcome: 'unchanged' }],
    ['whose type is wrong is kept', { there: cardFiles({ type: 'shared' }), seen: {} }, kept('manifest.json')],
    ['is filled when it is empty', { there: {} }, written(['code.js', 'icon.png', 'manifest.json'])],
    [
      'gets missing files and fields',
      { there: cardFiles({ description: undefined }) },
      written(['icon.png', 'manifest.json']),
    ],
    ['that was never seen and differs is kept', { there: CARD_FILES, remote: { code: NEW } }, kept('code.js')],
    [
      'that is as it was last seen is brought up to date, with no more files than needed',
      { there: CARD_FILES, remote: { code: NEW }, seen: {} },
      written(['code.js']),
    ],
    [
      'without icon and description, as it was sent, is brought up to date',
      { there: cardFiles({ description: undefined }), remote: { code: NEW }, seen: {} },
      written(['code.js', 'icon.png', 'manifest.json']),
    ],
    ['that was changed here is kept', { there: { ...CARD_FILES, 'code.js': 'mine' }, seen: {} }, kept('code.js')],
    [
      'that was changed here and there is kept, and all its files named',
      { there: { ...CARD_FILES, 'code.js': 'mine' }, remote: { name: 'New', icon: null }, seen: {} },
      kept('manifest.json', 'code.js', 'icon.png'),
    ],
    [
      'that was changed here is overwritten by force',
      { there: { ...CARD_FILES, 'code.js': 'mine' }, force: true },
      written(['code.js']),
    ],
    [
      'loses an icon that the service no longer has',
      { there: CARD_FILES, remote: { icon: null }, seen: {} },
      written([], ['icon.png']),
    ],
    ['keeps an icon that was never on the service', { there: CARD_FILES, remote: { icon: null } }, kept('icon.png')],
    [
      'gets the icon of another type in place of the old one',
      { there: CARD_FILES, remote: { icon: jpg }, seen: {} },
      written(['icon.jpg'], ['icon.png']),
    ],
    [
      'keeps the name of its icon file',
      { there: cardFiles({}, { 'icon.PNG': Buffer.concat([PIXEL, PIXEL]) }), force: true },
      written(['icon.PNG']),
    ],
    [
      'with a manifest that cannot be read is kept',
      { there: { ...CARD_FILES, 'manifest.json': '{' }, seen: {} },
      kept('manifest.json'),
    ],
    ['with two icons is kept', { there: { ...CARD_FILES, 'icon.jpg': JPEG }, seen: {} }, kept('icon.jpg', 'icon.png')],
    ['with two code files is kept', { there: { ...CARD_FILES, 'code.ts': '' }, seen: {} }, kept('code.ts')],
    [
      'never gets code.js next to other code, not even by force',
      { there: { 'manifest.json': JSON.stringify(CARD_MANIFEST), 'code.ts': 'export default 1;' }, force: true },
      kept('code.ts'),
    ],
    [
      'may lack a byte order mark that the service has',
      { there: CARD_FILES, remote: { code: `\ufeff${CARD_CODE}` } },
      { outcome: 'unchanged' },
    ],
    [
      'as it was last seen may have an icon that no file can hold',
      {
        there: cardFiles(),
        remote: { icon: 'data:image/svg+xml;base64,PHN2Zy8+', code: NEW },
        seen: { icon: 'data:image/svg+xml;base64,PHN2Zy8+' },
      },
      written(['code.js']),
    ],
  ])('%s', (_, given, expected) => {
    expect(step(given)).toEqual(expected);
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
    expect(Object.keys(JSON.parse(text))).toEqual([
      '$schema',
      'name',
      'type',
      'configuration',
      'request_parameters',
      'owner',
    ]);
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
