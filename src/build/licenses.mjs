/** Collects the licenses of the packages that are bundled into dist/. */
import { readdirSync, readFileSync } from 'node:fs';
import { at } from './paths.mjs';

/**
 * The licenses of the packages that have files among `inputs` (paths of esbuild's metafile, relative to the project),
 * sorted by name. Fails for a package without a license.
 */
export function collectLicenses(inputs) {
  const folders = new Set(inputs.flatMap((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0] ?? []));
  const packages = [...folders].map(readLicense).sort((a, b) => (a.title < b.title ? -1 : 1));
  const parts = packages.map(({ title, text }) => `${title}\n${'-'.repeat(title.length)}\n\n${text}\n`);
  return `Parts of these packages are in the files next to this one.\n\n${parts.join('\n')}`;
}

function readLicense(folder) {
  const { name, version, license } = JSON.parse(readFileSync(at(`${folder}/package.json`), 'utf8'));
  const file = readdirSync(at(folder)).find((entry) => /^licen[cs]e(-mit)?(\.(md|txt))?$/i.test(entry));
  if (!license || !file) throw new Error(`${folder} has no license file`);
  const text = readFileSync(at(`${folder}/${file}`), 'utf8')
    .replaceAll('\r\n', '\n')
    .trim();
  return { title: `${name} ${version} (${license})`, text };
}
