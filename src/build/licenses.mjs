/** Collects the licenses of the packages that are bundled into dist/. */
import { readdirSync, readFileSync } from 'node:fs';
import { at } from './paths.mjs';

/**
 * The licenses of the packages that have files among `inputs` (paths of esbuild's metafile, relative to the project), each
 * text once, after its packages with their copyright. Fails for a package without a license.
 */
export function collectLicenses(inputs) {
  const folders = new Set(inputs.flatMap((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0] ?? []));
  const packages = [...folders].map(readLicense).sort((a, b) => (a.title < b.title ? -1 : 1));
  const texts = [...new Set(packages.map(({ terms }) => terms))];
  const parts = texts.map((terms) => {
    const owners = packages
      .filter((one) => one.terms === terms)
      .map(({ title, copyright }) => `${title}\n${copyright}`);
    return `${owners.join('\n')}\n\n${terms}\n`;
  });
  return `Parts of these packages are in the files next to this one.\n\n${parts.join(`\n${'-'.repeat(80)}\n\n`)}`;
}

function readLicense(folder) {
  const { name, version, license } = JSON.parse(readFileSync(at(`${folder}/package.json`), 'utf8'));
  const file = readdirSync(at(folder)).find((entry) => /^licen[cs]e(-mit)?(\.(md|txt))?$/i.test(entry));
  if (!license || !file) throw new Error(`${folder} has no license file`);
  const text = readFileSync(at(`${folder}/${file}`), 'utf8')
    .replaceAll('\r\n', '\n')
    .trim();
  const lines = text.split('\n').map((line) => line.trim());
  const copyright = lines.filter((line) => line.startsWith('Copyright')).join('\n');
  // Packages break the lines of the same text in different places.
  const words = lines.map((line) => (line.startsWith('Copyright') ? '' : line || '\n\n')).join(' ');
  const terms = words.replace(/ *\n\s*/g, '\n\n').trim();
  return { title: `${name} ${version} (${license})`, copyright, terms };
}
