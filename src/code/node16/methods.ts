/** Methods that Node.js 16 lacks, on what is visibly a builtin object or has no other method of that name. */
import type { AnyNode, MemberExpression } from 'acorn';
import { countSteps } from '../ast/steps.ts';
import type { Scopes } from '../scope/scope-analysis.ts';
import { ifAllNeeded, isNeeded, rowOf, type Use, wordsOf } from './api-use.ts';
import { builtinKind } from './builtin-type.ts';
import { isPackage, type TargetFacts } from './facts.ts';
import lacks from './missing.json' with { type: 'json' };

/** Names that are enough, whatever they are called on; the others only on what is visibly a builtin object. */
const TELLING = wordsOf('findLast findLastIndex toSorted toReversed toSpliced isWellFormed toWellFormed');

/** Names that libraries have too: not of what comes from a package. */
const SHARED = wordsOf('findLast findLastIndex');

const METHODS = new Set(Object.values(lacks.prototypes).flatMap((row) => [...wordsOf(row)]));

/** Methods of iterators, none of which Node.js 16 has. */
const ITERATOR_HELPERS = wordsOf('drop every filter find flatMap forEach map reduce some take toArray');

/** None of a name that the code defines itself, or mentions without calling it. */
export function methodUses(scopes: Scopes, facts: TargetFacts): Use[] {
  return [...lackingMethods(scopes, facts), ...iteratorHelpers(scopes, facts)];
}

/** `map.values().filter(…)`; of what is visibly an iterator only, since arrays have methods of these names. */
function iteratorHelpers(scopes: Scopes, { members }: TargetFacts): Use[] {
  return [...ITERATOR_HELPERS].flatMap((name) =>
    (members.get(name) ?? [])
      .filter((node) => isNeeded(node, scopes) && builtinKind(node.object, scopes) === 'Iterator')
      .map((node): Use => ({ kind: 'method', what: `.${name}() of iterators`, node: node.property })),
  );
}

function lackingMethods(scopes: Scopes, { members, named, keyed, loads }: TargetFacts): Use[] {
  const packages = new Set<AnyNode>(loads.flatMap(({ node, name }) => (isPackage(name) ? [node] : [])));
  return [...members].flatMap(([name, mentions]) => {
    if (!METHODS.has(name) || named.has(name) || keyed.has(name)) return [];
    return ifAllNeeded(mentions, scopes)
      .filter((node) => isOfBuiltin(node, name, packages, scopes))
      .map((node): Use => ({ kind: 'method', what: `.${name}()`, node: node.property }));
  });
}

function isOfBuiltin(
  { object }: MemberExpression,
  name: string,
  packages: ReadonlySet<AnyNode>,
  scopes: Scopes,
): boolean {
  const kind = builtinKind(object, scopes);
  if (kind !== undefined) return rowOf(lacks.prototypes, kind).has(name);
  return TELLING.has(name) && !(SHARED.has(name) && comesFromPackage(object, packages, scopes));
}

const MAX_STEPS = 20;

/** Whether a value is, or may be made by, what a package exports: `_.chain(list)`, `List([1])`, `await db.find()`. */
function comesFromPackage(node: AnyNode, packages: ReadonlySet<AnyNode>, scopes: Scopes, steps = 0): boolean {
  countSteps();
  if (steps > MAX_STEPS) return true;
  if (packages.has(node)) return true;
  const follow = (next: AnyNode) => comesFromPackage(next, packages, scopes, steps + 1);
  switch (node.type) {
    case 'MemberExpression':
      return follow(node.object);
    case 'CallExpression':
    case 'NewExpression':
      return follow(node.callee);
    case 'AwaitExpression':
      return follow(node.argument);
    case 'ChainExpression':
      return follow(node.expression);
    case 'Identifier': {
      const variable = scopes.variableOf.get(node);
      const declarations = variable?.declaredBy ?? [];
      return declarations.some((by) => by.type === 'VariableDeclarator' && by.init && follow(by.init));
    }
    default:
      return false;
  }
}
