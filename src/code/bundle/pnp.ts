/** Yarn Plug'n'Play: a table with the location of each package. It is read as data; `.pnp.cjs` is never run. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isWithin, toRelative } from '../../files/paths.ts';
import { listAncestors } from '../../files/repository.ts';
import { BundleError } from './bundle-error.ts';
import type { FileAccess } from './file-access.ts';
import { MAX_PNP_BYTES } from './limits.ts';

export interface PlugAndPlay {
  /** The folder of a dependency of `from`; undefined if not declared, 'elsewhere' if the table does not apply. */
  find(name: string, from: string): string | undefined | 'elsewhere';
}

type PnpReference = string | [name: string, reference: string] | null;

interface PnpPackage {
  packageLocation: string;
  packageDependencies: ReadonlyMap<string, PnpReference>;
  discardFromLookup: boolean;
}

const DATA_FILES = ['.pnp.data.json', '.pnp.cjs', '.pnp.js'];

/** Whether there may be a table for a folder. */
export const mayHavePnpTable = (folder: string): boolean =>
  listAncestors(folder).some((one) => DATA_FILES.some((name) => existsSync(join(one, name))));

/** Undefined if the repository has no table. Throws BundleError. */
export function openPlugAndPlay(fileAccess: FileAccess): PlugAndPlay | undefined {
  const folders = listAncestors(fileAccess.folder).filter((folder) => isWithin(folder, fileAccess.repository));
  const folder = folders.find((one) => DATA_FILES.some((name) => fileAccess.getKind(join(one, name)) === 'file'));
  const file = DATA_FILES.map((name) => folder && join(folder, name)).find(
    (path) => path && fileAccess.getKind(path) === 'file',
  );
  if (folder === undefined || file === undefined) return undefined;
  const table = parseTable(fileAccess.readPnpTable(file, MAX_PNP_BYTES));
  if (!table) throw new BundleError(`${fileAccess.toDisplayPath(file)} is not a valid Yarn Plug'n'Play file`);
  return createLookup(table, folder);
}

interface PnpTable {
  hasFallback: boolean;
  excluded: ReadonlyMap<string, readonly string[]>;
  pool: ReadonlyMap<string, PnpReference>;
  packages: ReadonlyMap<string, ReadonlyMap<string, PnpPackage>>;
}

function createLookup(table: PnpTable, folder: string): PlugAndPlay {
  const get = (name: string, reference: string) => table.packages.get(name)?.get(reference);
  const byLocation = indexLocations(table);
  const findOwner = (from: string) => {
    let path = `./${toRelative(folder, from)}/`.replace(/^\.\/\.\.\//, '../').replace(/^\.\/\/$/, './');
    while (path !== '' && !byLocation.has(path)) path = path.slice(0, path.lastIndexOf('/', path.length - 2) + 1);
    return byLocation.get(path);
  };
  return {
    find: (name, from) => {
      const owner = findOwner(from);
      const parent = owner && get(...owner);
      if (!owner || !parent) return 'elsewhere';
      const declared = parent.packageDependencies.get(name);
      const isExcluded = table.excluded.get(owner[0])?.includes(owner[1]);
      const fallback =
        table.hasFallback && !isExcluded
          ? (get('', '')?.packageDependencies.get(name) ?? table.pool.get(name))
          : undefined;
      const reference = declared ?? fallback;
      if (reference === undefined || reference === null) return undefined;
      const found = Array.isArray(reference) ? get(...reference) : get(name, reference);
      return found && resolve(folder, found.packageLocation);
    },
  };
}

/** The package of each folder; the project itself has the name and reference `''`. */
function indexLocations({ packages }: PnpTable): Map<string, [name: string, reference: string]> {
  const found = new Map<string, [string, string]>();
  for (const [name, references] of packages)
    for (const [reference, { packageLocation, discardFromLookup }] of references)
      if (!discardFromLookup) found.set(packageLocation, [name, reference]);
  return found;
}

function parseTable(text: string): PnpTable | undefined {
  try {
    const value = JSON.parse(extractData(text));
    const packages = toPairs(value.packageRegistryData).map(
      ([name, references]) =>
        [
          name ?? '',
          new Map(toPairs(references).map(([reference, one]) => [reference ?? '', toPackage(one)])),
        ] as const,
    );
    return {
      hasFallback: value.enableTopLevelFallback === true,
      excluded: new Map(
        toPairs(value.fallbackExclusionList).map(([name, list]) => [name ?? '', [list].flat().map(String)]),
      ),
      pool: new Map(toPairs(value.fallbackPool).map(([name, reference]) => [name ?? '', toReference(reference)])),
      packages: new Map(packages),
    };
  } catch {
    return undefined;
  }
}

/** The JSON in `.pnp.cjs` is a string literal with escaped line breaks. */
function extractData(text: string): string {
  if (text.trimStart().startsWith('{')) return text;
  const start = /\bRAW_RUNTIME_STATE\s*=\s*'/.exec(text);
  if (!start) return '';
  const from = start.index + start[0].length;
  const [literal = ''] = /^(?:[^'\\]|\\[\s\S])*/.exec(text.slice(from)) ?? [];
  return literal.replace(/\\(\r\n|[\s\S])/g, (_, escaped: string) => (/^[\r\n]/.test(escaped) ? '' : escaped));
}

const toPairs = (value: unknown): [string | null, unknown][] =>
  Array.isArray(value) ? value.filter((pair) => Array.isArray(pair) && pair.length === 2) : [];

function toPackage(value: unknown): PnpPackage {
  const { packageLocation, packageDependencies, discardFromLookup } = Object(value);
  return {
    packageLocation: String(packageLocation),
    packageDependencies: new Map(
      toPairs(packageDependencies).map(([name, reference]) => [String(name), toReference(reference)]),
    ),
    discardFromLookup: discardFromLookup === true,
  };
}

function toReference(value: unknown): PnpReference {
  if (Array.isArray(value)) return [String(value[0]), String(value[1])];
  return typeof value === 'string' ? value : null;
}
