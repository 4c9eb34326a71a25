/** Methods that Node.js 16 lacks, on what is visibly a builtin object or has no other method of that name. */
import type { MemberExpression } from 'acorn';
import { builtinKind } from './builtin-kind.ts';
import lacks from './node16-lacks.json' with { type: 'json' };
import type { Scopes } from './scopes.ts';
import { isPackage, type TargetFacts } from './target-facts.ts';
import { ifAllNeeded, rowOf, type Use, wordsOf } from './target-use.ts';

/** Names that are enough, whatever they are called on; the others only on what is visibly a builtin object. */
const TELLING = wordsOf('findLast findLastIndex toSorted toReversed toSpliced isWellFormed toWellFormed');

/** Names that libraries have too: told from builtin ones only where no package is used. */
const SHARED = wordsOf('findLast findLastIndex');

const METHODS = new Set(Object.values(lacks.prototypes).flatMap((row) => [...wordsOf(row)]));

/** None of a name that the code defines itself, or mentions without calling it. */
export function methodUses(scopes: Scopes, { members, named, keyed, loads }: TargetFacts): Use[] {
  const hasPackage = loads.some(({ name }) => isPackage(name));
  return [...members].flatMap(([name, mentions]) => {
    if (!METHODS.has(name) || named.has(name) || keyed.has(name)) return [];
    return ifAllNeeded(mentions, scopes)
      .filter((node) => isOfBuiltin(node, name, hasPackage, scopes))
      .map((node): Use => ({ kind: 'method', what: `.${name}()`, node: node.property }));
  });
}

function isOfBuiltin({ object }: MemberExpression, name: string, hasPackage: boolean, scopes: Scopes): boolean {
  const kind = builtinKind(object, scopes);
  if (kind !== undefined) return rowOf(lacks.prototypes, kind).has(name);
  return TELLING.has(name) && !(hasPackage && SHARED.has(name));
}
