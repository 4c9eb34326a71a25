/** Temporary folders with files in them, removed when the test ends. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** The theme of all fixtures: a formula that tokenizes a card. */
export const CARD_MANIFEST = {
  name: 'Tokenize a card',
  description: 'Tokenizes a card',
  type: 'private',
  configuration: [{ name: 'BRANDS', type: 'string' }],
  request_parameters: [
    { name: 'card.number', type: 'string' },
    { name: 'card.year', type: 'number', optional: true },
  ],
};

/** It hands its request on, so that nothing is called unused. */
export const CARD_CODE = 'module.exports = async (req) => ({ tokenize: { data: req } });\n';

/** The smallest PNG: one pixel. */
export const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
  'base64',
);

/** A small whole JPEG by its marks: a header, a scan, the end. */
export const JPEG = Buffer.from('ffd8ffe000104a46494600010100000100010000ffda0004000011223344ffd9', 'hex');

/** Makes a temporary folder; keys are paths, values their contents. */
export function folderWith(files: Record<string, string | Buffer> = {}): string {
  // In a folder of its own: a lock file may be written next to it, and would be read by other tests.
  // Its real path: the system's temporary folder may be a link, as on macOS.
  const parent = realpathSync(mkdtempSync(join(tmpdir(), 'formulary-test-')));
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
  const folder = join(parent, 'folder');
  // Under a umask of 0 others could write to it, and the tool would not trust it.
  mkdirSync(folder, { mode: 0o755 });
  writeFiles(folder, files);
  return folder;
}

/** Writes files below a folder, and the folders that they are in. */
export function writeFiles(folder: string, files: Record<string, string | Buffer>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true, mode: 0o755 });
    writeFileSync(join(folder, name), content, { mode: 0o644 });
  }
}

/** The files of the card formula, with changes to its manifest or other files. */
export function cardFiles(manifest: object = {}, files: Record<string, string | Buffer> = {}) {
  return {
    'manifest.json': JSON.stringify({ ...CARD_MANIFEST, ...manifest }, null, 2),
    'code.js': CARD_CODE,
    ...files,
  };
}

/** Files by their paths from above the folder that they are in. */
export const inFolder = <Content>(folder: string, files: Record<string, Content>): Record<string, Content> =>
  Object.fromEntries(Object.entries(files).map(([name, content]) => [`${folder}/${name}`, content]));

/** The files of formulas with these names, each in a folder of its name. */
export const formulas = (...names: string[]): Record<string, string> =>
  Object.assign({}, ...names.map((name) => inFolder(name, cardFiles({ name }))));

/** A folder of formulas with these names. */
export const formulaTree = (...names: string[]): string => folderWith(formulas(...names));

/** The card as services hold it, without an id. */
export const CARD_BODY = { ...CARD_MANIFEST, code: CARD_CODE };

/** What a formula without parameters and settings declares. */
export const BARE = { configuration: [], request_parameters: [] };

/** Replaces the code of a formula folder: the card's, and a comment. */
export const editCode = (folder: string, comment: string): void =>
  writeFileSync(join(folder, 'code.js'), `${CARD_CODE}// ${comment}\n`);
