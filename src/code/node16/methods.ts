/** Finds methods that Node.js 16 lacks, on values of a known builtin type, or with an unambiguous name. */

import type { AnyNode, CallExpression, MemberExpression } from 'acorn';
import { getMemberName } from '../ast/member-names.ts';
import { countSteps } from '../ast/steps.ts';
import { isFunction } from '../ast/walk.ts';
import { findDefinition, isGlobal, isUndeclared, type Scopes } from '../scope/scope-analysis.ts';
import { isPackage, type Node16Facts } from './facts.ts';
import { type ApiUse, isNeeded, lookUpRow, parseWords, selectIfAllNeeded } from './guards.ts';
import missing from './missing.json' with { type: 'json' };

/** Names that only these methods have; other names count only on values of a known builtin type. */
const UNAMBIGUOUS = parseWords('findLast findLastIndex toSorted toReversed toSpliced isWellFormed toWellFormed');

/** Names that libraries also have; they do not count on values that may come from a package. */
const SHARED_WITH_LIBRARIES = parseWords('findLast findLastIndex');

const METHODS = new Set(Object.values(missing.prototypes).flatMap((row) => [...parseWords(row)]));

/** Methods of iterators, none of which Node.js 16 has. */
export const ITERATOR_HELPERS = parseWords('drop every filter find flatMap forEach map reduce some take toArray');

/** Ignores names that the code defines itself, or uses without calling them. */
export function findMethodUses(scopes: Scopes, facts: Node16Facts): ApiUse[] {
  return [
    ...findMissingMethodUses(scopes, facts),
    ...findIteratorHelperUses(scopes, facts),
    ...findAccessorUses(scopes, facts),
  ];
}

const ACCESSORS = new Set(Object.values(missing.accessors).flatMap((row) => [...parseWords(row)]));

/** `params.size` where params is `new URLSearchParams(…)`; it is undefined, so no use throws. */
function findAccessorUses(scopes: Scopes, { members, mentionedNames }: Node16Facts): ApiUse[] {
  return [...ACCESSORS].flatMap((name) => {
    const uses = (members.get(name) ?? []).flatMap((node): { node: AnyNode; type: string }[] => {
      const type = inferBuiltinType(node.object, scopes);
      return type !== undefined && lookUpRow(missing.accessors, type).has(name) ? [{ node, type }] : [];
    });
    if (mentionedNames.has(name) || uses.some(({ node }) => allowsForAbsence(node, scopes))) return [];
    return uses.map(({ node, type }): ApiUse => ({ kind: 'member', what: `${type}.${name}`, node }));
  });
}

/** `params.size ?? [...params].length`, `params.size === undefined`, `typeof params.size` */
function allowsForAbsence(node: AnyNode, { parentOf }: Scopes): boolean {
  const parent = parentOf.get(node);
  if (parent?.type === 'LogicalExpression') return parent.left === node && parent.operator !== '&&';
  if (parent?.type === 'UnaryExpression') return parent.operator === 'typeof';
  return parent?.type === 'BinaryExpression' && /^[!=]==?$/.test(parent.operator) && !isNumber(parent.right);
}

const isNumber = (node: AnyNode) => node.type === 'Literal' && typeof node.value === 'number';

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

/** `Array`, `String`, `Set`, …; undefined if unknown. Follows constants and methods that preserve the type. */
function inferBuiltinType(node: AnyNode, scopes: Scopes, steps = 0): string | undefined {
  countSteps();
  if (steps > MAX_STEPS) return undefined;
  const follow = (next: AnyNode) => inferBuiltinType(next, scopes, steps + 1);
  switch (node.type) {
    case 'ArrayExpression':
      return 'Array';
    case 'TemplateLiteral':
      return 'String';
    case 'Literal':
      return typeof node.value === 'string' ? 'String' : undefined;
    case 'ChainExpression':
      return follow(node.expression);
    case 'NewExpression':
      return getGlobalClass(node.callee, scopes);
    case 'CallExpression':
      return node.callee.type === 'MemberExpression'
        ? (inferIntlType(node.callee, scopes) ?? inferMethodResult(node, node.callee, scopes, follow))
        : inferGeneratorType(node.callee, scopes);
    default: {
      const value = findDefinition(node, scopes);
      return value && follow(value);
    }
  }
}

/** `Set`, `Intl.NumberFormat` */
function getGlobalClass(node: AnyNode, scopes: Scopes): string | undefined {
  if (node.type === 'Identifier') return isUndeclared(node, scopes) ? node.name : undefined;
  if (node.type !== 'MemberExpression' || !isGlobal(node.object, 'Intl', scopes)) return undefined;
  const name = getMemberName(node);
  return name === undefined ? undefined : `Intl.${name}`;
}

/** `Intl.NumberFormat('en')` returns an instance too. */
function inferIntlType(callee: MemberExpression, scopes: Scopes): string | undefined {
  const type = getGlobalClass(callee, scopes);
  return type !== undefined && /\.[A-Z]\w*Format$/.test(type) ? type : undefined;
}

/** The type that a call of a generator returns. */
function inferGeneratorType(callee: AnyNode, scopes: Scopes): string | undefined {
  const definition = findDefinition(callee, scopes);
  return isFunction(definition) && definition.generator && !definition.async ? 'Iterator' : undefined;
}

const STATIC_RESULTS: readonly [RegExp, string][] = [
  [/^Object\.(keys|values|entries|getOwnPropertyNames)$|^Array\.(from|of)$/, 'Array'],
  [/^Buffer\.(from|alloc|concat)$/, 'Buffer'],
  [/^JSON\.stringify$/, 'String'],
];
const ITERATED = /^(Array|Map|Set)\.(keys|values|entries)$|^String\.matchAll$/;
const KEEPS_ARRAY = /^(map|filter|slice|concat|sort|reverse|flat|flatMap|splice|fill|copyWithin)$/;
const KEEPS_STRING =
  /^(trim\w*|to(Lower|Upper)Case|slice|substring|replace|replaceAll|pad\w+|repeat|normalize|concat)$/;

/** The type that a method returns: `Object.keys(…)`, `'a b'.split(' ')`, `[…].map(…)`. */
function inferMethodResult(
  { arguments: [first] }: CallExpression,
  callee: MemberExpression,
  scopes: Scopes,
  follow: (node: AnyNode) => string | undefined,
): string | undefined {
  const name = getMemberName(callee) ?? '';
  const { object } = callee;
  const staticResult =
    object.type === 'Identifier' && isUndeclared(object, scopes) ? inferStaticResult(object.name, name) : undefined;
  if (staticResult) return staticResult;
  const isText = first?.type === 'Literal' && (typeof first.value === 'string' || first.regex !== undefined);
  if (name === 'split' && isText) return 'Array';
  const kind = follow(object);
  if (ITERATED.test(`${kind}.${name}`)) return 'Iterator';
  const keeps = kind === 'Array' ? KEEPS_ARRAY : kind === 'String' ? KEEPS_STRING : undefined;
  return keeps?.test(name) ? kind : undefined;
}

function inferStaticResult(owner: string, name: string): string | undefined {
  const [, kind] = STATIC_RESULTS.find(([maker]) => maker.test(`${owner}.${name}`)) ?? [];
  return kind;
}
