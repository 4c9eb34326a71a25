/** Collects the licenses of the packages that are bundled into dist/. */
import { readdirSync, readFileSync } from 'node:fs';
import { at } from './paths.mjs';

/**
 * One text with the licence of every package that has a file among `inputs` (paths from the top of the project, as
 * esbuild's metafile names them), sorted by name. Fails for a package that does not say its licence.
 */
export function licencesOf(inputs) {
  const folders = new Set(inputs.flatMap((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0] ?? []));
  const packages = [...folders].map(licenceOf).sort((a, b) => (a.title < b.title ? -1 : 1));
  const parts = packages.map(({ title, text }) => `${title}\n${'-'.repeat(title.length)}\n\n${text}\n`);
  return `Parts of these packages are in the files beside this one.\n\n${parts.join('\n')}`;
}

function licenceOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(at(`${folder}/package.json`), 'utf8'));
  const file = readdirSync(at(folder)).find((entry) => /^licen[cs]e(-mit)?(\.(md|txt))?$/i.test(entry));
  if (!license || !file) throw new Error(`${folder} has no licence that could be shipped with it`);
  const text = readFileSync(at(`${folder}/${file}`), 'utf8')
    .replaceAll('\r\n', '\n')
    .trim();
  return { title: `${name} ${version} (${license})`, text };
}
