/** Bundled packages that Node.js 16 cannot load, or cannot run. */
import { excludesNode16 } from '../code/bundle/engines.ts';
import { isInPackage } from '../code/bundle/package-name.ts';
import type { MissingApi } from '../code/node16/missing-apis.ts';
import { groupBy } from '../text/group-by.ts';
import { codePositionAt } from '../text/source-position.ts';
import type { RuleFinding, Subject } from './rule.ts';

const NAMES: Readonly<Partial<Record<MissingApi['kind'], string>>> = { global: 'the global ', module: 'the module ' };

/** APIs that a package without other imports cannot do without. */
const ESSENTIAL = /^(crypto|fetch|Headers|Request|Response)$/;

/** One warning for each package, at its import; only packages in the bundle count. */
export function findUnsupportedPackages({ code, sources = new Map(), nodeRanges }: Subject): RuleFinding[] {
  const byPackage = groupBy(code?.facts.analysis?.missingApis ?? [], ({ packageName }) => packageName);
  byPackage.delete(undefined);
  const imports = byPackage.size === 0 ? new Map<string, Import>() : findImports(sources);
  return [...byPackage].flatMap(([name = '', missing]): RuleFinding[] => {
    const imported = imports.get(name);
    const certain = imported ? missing : missing.filter(isOfModule);
    const reason = explainLoadFailure(missing) ?? explainUseFailure(certain, nodeRanges.get(name));
    if (!code || reason === undefined) return [];
    return [
      {
        file: imported?.file ?? code.file,
        ...(imported ? codePositionAt(imported.text, imported.at) : { line: 1, column: 1 }),
        level: 'warning',
        message: `the bundled package ${JSON.stringify(name)} ${reason}, which is not in Node.js 16`,
        fix: 'Use a version of the package that supports Node.js 16.',
      },
    ];
  });
}

function explainLoadFailure(missing: readonly MissingApi[]): string | undefined {
  const atLoad = missing.find(({ failsAtLoad }) => failsAtLoad);
  return atLoad && `cannot be loaded: it uses ${describeApi(atLoad)}`;
}

/**
 * Why a package cannot run. A package that another one imports may be used in part, so only what it takes from modules of
 * Node.js counts.
 */
function explainUseFailure(missing: readonly MissingApi[], range: string | undefined): string | undefined {
  const essential = missing.find(isEssential);
  if (range === undefined) return essential?.isOnlyMeans ? `cannot run: it uses ${describeApi(essential)}` : undefined;
  // Methods are guessed by their names.
  const certain = essential ?? missing.find(({ kind }) => kind !== 'method');
  return certain && excludesNode16(range) ? `requires Node.js ${range} and uses ${describeApi(certain)}` : undefined;
}

const isOfModule = ({ kind, what }: MissingApi) => kind === 'module' || what.startsWith('require(');

const isEssential = ({ kind, what }: MissingApi) => kind === 'global' && ESSENTIAL.test(what);

const describeApi = ({ kind, what }: MissingApi) => `${NAMES[kind] ?? ''}${what}`;

interface Import {
  file: string;
  text: string;
  at: number;
}

/** A string that may name a package, or a file of it. */
const SPECIFIER = /['"]((?:@[\w.~-]+\/)?[\w.~-]+)(?:\/[^'"\n]*)?['"]/g;

/** Where the formula's own files name each package. */
function findImports(sources: ReadonlyMap<string, string>): Map<string, Import> {
  const imports = new Map<string, Import>();
  for (const [file, text] of sources) {
    for (const { index, 1: name = '' } of isInPackage(file) ? [] : text.matchAll(SPECIFIER)) {
      if (!imports.has(name)) imports.set(name, { file, text, at: index });
    }
  }
  return imports;
}
