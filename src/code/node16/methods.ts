/** Finds methods that Node.js 16 lacks, on values of a known builtin type, or with an unambiguous name. */
import type { AnyNode, MemberExpression } from 'acorn';
import { countSteps } from '../ast/steps.ts';
import type { Scopes } from '../scope/scope-analysis.ts';
import { type ApiUse, isNeeded, lookUpRow, parseWords, selectIfAllNeeded } from './api-use.ts';
import { inferBuiltinType } from './builtin-type.ts';
import { isPackage, type Node16Facts } from './facts.ts';
import missing from './missing.json' with { type: 'json' };

/** Names that only these methods have; other names count only on values of a known builtin type. */
const UNAMBIGUOUS = parseWords('findLast findLastIndex toSorted toReversed toSpliced isWellFormed toWellFormed');

/** Names that libraries also have; they do not count on values that may come from a package. */
const SHARED_WITH_LIBRARIES = parseWords('findLast findLastIndex');

const METHODS = new Set(Object.values(missing.prototypes).flatMap((row) => [...parseWords(row)]));

/** Methods of iterators, none of which Node.js 16 has. */
const ITERATOR_HELPERS = parseWords('drop every filter find flatMap forEach map reduce some take toArray');

/** Ignores names that the code defines itself, or uses without calling them. */
export function findMethodUses(scopes: Scopes, facts: Node16Facts): ApiUse[] {
  return [...findMissingMethodUses(scopes, facts), ...findIteratorHelperUses(scopes, facts)];
}

/** `map.values().filter(…)`, only on known iterators, because arrays have methods with these names. */
function findIteratorHelperUses(scopes: Scopes, { members }: Node16Facts): ApiUse[] {
  return [...ITERATOR_HELPERS].flatMap((name) =>
    (members.get(name) ?? [])
      .filter((node) => isNeeded(node, scopes) && inferBuiltinType(node.object, scopes) === 'Iterator')
      .map((node): ApiUse => ({ kind: 'method', what: `.${name}() of iterators`, node: node.property })),
  );
}

function findMissingMethodUses(
  scopes: Scopes,
  { members, mentionedNames, definedNames, loads }: Node16Facts,
): ApiUse[] {
  const packages = new Set<AnyNode>(loads.flatMap(({ node, name }) => (isPackage(name) ? [node] : [])));
  return [...members].flatMap(([name, mentions]) => {
    if (!METHODS.has(name) || mentionedNames.has(name) || definedNames.has(name)) return [];
    return selectIfAllNeeded(mentions, scopes)
      .filter((node) => isBuiltinMethod(node, name, packages, scopes))
      .map((node): ApiUse => ({ kind: 'method', what: `.${name}()`, node: node.property }));
  });
}

function isBuiltinMethod(
  { object }: MemberExpression,
  name: string,
  packages: ReadonlySet<AnyNode>,
  scopes: Scopes,
): boolean {
  const kind = inferBuiltinType(object, scopes);
  if (kind !== undefined) return lookUpRow(missing.prototypes, kind).has(name);
  return UNAMBIGUOUS.has(name) && !(SHARED_WITH_LIBRARIES.has(name) && mayComeFromPackage(object, packages, scopes));
}

const MAX_STEPS = 20;

/** Whether a value may come from an export of a package: `_.chain(list)`, `List([1])`, `await db.find()`. */
function mayComeFromPackage(node: AnyNode, packages: ReadonlySet<AnyNode>, scopes: Scopes, steps = 0): boolean {
  countSteps();
  if (steps > MAX_STEPS) return true;
  if (packages.has(node)) return true;
  const follow = (next: AnyNode) => mayComeFromPackage(next, packages, scopes, steps + 1);
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
      const declarations = variable?.declarations ?? [];
      return declarations.some((by) => by.type === 'VariableDeclarator' && by.init && follow(by.init));
    }
    default:
      return false;
  }
}
