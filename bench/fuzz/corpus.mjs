/** Real formulas and files, from which inputs are made. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { at } from '../../src/build/paths.mjs';

const EXAMPLES = at('formulas-example');
const folders = readdirSync(EXAMPLES, { withFileTypes: true }).filter((entry) => entry.isDirectory());

const read = (...path) => readFileSync(join(EXAMPLES, ...path), 'utf8');
const namesIn = (...path) => readdirSync(join(EXAMPLES, ...path));

export const MANIFESTS = folders.map(({ name }) => read(name, 'manifest.json'));

export const CASES = folders.flatMap(({ name }) => namesIn(name, 'tests').map((file) => read(name, 'tests', file)));

/** The examples, and each piece of code that the tests hold. */
export const CODES = [
  ...folders.flatMap(({ name }) =>
    namesIn(name)
      .filter((file) => /^code\./.test(file))
      .map((file) => read(name, file)),
  ),
  ...['fixtures/code/styles.ts', 'fixtures/code/export-styles.ts', 'fixtures/code/syntax-cases.ts'].flatMap((file) =>
    piecesOf(readFileSync(at(`test/${file}`), 'utf8')),
  ),
];

/** The strings in quotes or backticks in a source, with line breaks. */
function piecesOf(source) {
  return [...source.matchAll(/`((?:[^`\\]|\\.)*)`|'((?:[^'\\\n]|\\.)*)'/gs)]
    .map(([, template, quoted]) => (template ?? quoted).replaceAll('\\n', '\n').replace(/\\([`'$\\])/g, '$1'))
    .map((text) => text.replaceAll(/\$\{HANDLER\}/g, 'async () => ({})'))
    .filter((text) => text.length > 10);
}

export const ICON = readFileSync(join(EXAMPLES, 'tokenize-card', 'icon.png'));
