/** Modules of Node.js, and members of them, that Node.js 16 lacks. */
import type { AnyNode, Pattern } from 'acorn';
import { memberName, propertyName } from '../ast/member-names.ts';
import { isStable, type Scopes } from '../scope/scope-analysis.ts';
import { ifAllNeeded, rowOf, type Use, wordsOf } from './api-use.ts';
import { isPackage, type TargetFacts } from './facts.ts';
import lacks from './missing.json' with { type: 'json' };

/** `crypto.hash` where crypto is `require('crypto')`, and `const { hash } = require('crypto')`. */
export function moduleMemberUses(scopes: Scopes, { loads }: TargetFacts): Use[] {
  return loads.flatMap(({ node, name }) => {
    if (node.type !== 'CallExpression' || !isBuiltin(name)) return [];
    const module = name.replace(/^node:/, '');
    const { members, classes } = takenFrom(node, rowOf(lacks.members, module), scopes);
    return [
      ...members.map(([member, at]): Use => ({ kind: 'member', what: `require('${name}').${member}`, node: at })),
      ...classes.flatMap(([className, reads]) =>
        readOff(reads, rowOf(lacks.classes, `${module}.${className}`), scopes).map(
          ([member, at]): Use => ({ kind: 'member', what: `${className}.${member}`, node: at }),
        ),
      ),
    ];
  });
}

interface Taken {
  /** The missing members that are used. */
  members: [string, AnyNode][];
  /** The places where classes of the module are used. */
  classes: [string, AnyNode[]][];
}

/** What code takes from a module that a call of require loads. */
function takenFrom(call: AnyNode, missing: ReadonlySet<string>, scopes: Scopes): Taken {
  const { value, isInterop } = loadedValue(call, scopes);
  const parent = scopes.parentOf.get(value);
  const pattern = parent?.type === 'VariableDeclarator' ? parent.id : undefined;
  if (pattern?.type === 'ObjectPattern') {
    return { members: takenOut(pattern, missing, scopes), classes: classesTakenOut(pattern, scopes) };
  }
  const places = pattern ? readsIfStable(pattern, scopes) : [value];
  const all = isInterop ? places.flatMap((place) => [place, ...defaultOf(place, scopes)]) : places;
  return { members: readOff(all, missing, scopes), classes: classesReadOff(all, scopes) };
}

const isBuiltin = (name: string) => !isPackage(name);

/** The value that a load gives; esbuild wraps it for imports: `__toESM(require("node:crypto"))`. */
function loadedValue(node: AnyNode, { parentOf }: Scopes): { value: AnyNode; isInterop: boolean } {
  const parent = parentOf.get(node);
  const isInterop =
    parent?.type === 'CallExpression' &&
    parent.arguments[0] === node &&
    parent.callee.type === 'Identifier' &&
    /^__(toESM|importDefault|importStar)$/.test(parent.callee.name);
  return isInterop ? { value: parent, isInterop } : { value: node, isInterop };
}

/** `import_crypto.default` */
function defaultOf(place: AnyNode, { parentOf }: Scopes): AnyNode[] {
  const parent = parentOf.get(place);
  return parent?.type === 'MemberExpression' && memberName(parent) === 'default' ? [parent] : [];
}

/** The places of classes of a module, whose static methods may be missing: `stream.Readable`. */
function classesReadOff(places: readonly AnyNode[], { parentOf }: Scopes): [string, AnyNode[]][] {
  return places.flatMap((place): [string, AnyNode[]][] => {
    const parent = parentOf.get(place);
    const name = parent?.type === 'MemberExpression' && parent.object === place ? memberName(parent) : undefined;
    return parent && name !== undefined ? [[name, [parent]]] : [];
  });
}

/** `const { Readable } = require('stream')` */
function classesTakenOut(pattern: Pattern, scopes: Scopes): [string, AnyNode[]][] {
  if (pattern.type !== 'ObjectPattern') return [];
  return pattern.properties.flatMap((property): [string, AnyNode[]][] => {
    const name = property.type === 'Property' ? propertyName(property) : undefined;
    if (property.type !== 'Property' || name === undefined) return [];
    return [[name, readsIfStable(property.value, scopes)]];
  });
}

/** The members of these names that a pattern takes out and the code needs. */
export function takenOut(pattern: Pattern, missing: ReadonlySet<string>, scopes: Scopes): [string, AnyNode][] {
  if (pattern.type !== 'ObjectPattern') return [];
  return pattern.properties.flatMap((property): [string, AnyNode][] => {
    const member = property.type === 'Property' ? propertyName(property) : undefined;
    if (property.type !== 'Property' || member === undefined || !missing.has(member)) return [];
    return ifAllNeeded(readsIfStable(property.value, scopes), scopes).length > 0 ? [[member, property]] : [];
  });
}

/** The members of these names that are read off a value at any of its places. */
function readOff(places: readonly AnyNode[], missing: ReadonlySet<string>, scopes: Scopes): [string, AnyNode][] {
  const found = new Map<string, AnyNode[]>();
  for (const place of places) {
    const parent = scopes.parentOf.get(place);
    const name = parent?.type === 'MemberExpression' && parent.object === place ? memberName(parent) : undefined;
    if (!parent || name === undefined || !missing.has(name)) continue;
    const known = found.get(name);
    if (known) known.push(parent);
    else found.set(name, [parent]);
  }
  return [...found].flatMap(([name, nodes]) =>
    ifAllNeeded(nodes, scopes)
      .slice(0, 1)
      .map((node): [string, AnyNode] => [name, node]),
  );
}

function readsIfStable(pattern: Pattern, { variableOf }: Scopes): AnyNode[] {
  const variable = variableOf.get(pattern);
  return variable && isStable(variable) ? variable.reads : [];
}

/** `require('node:sqlite')`; without `node:` it may be a package. One that is tried for may be missing. */
export function moduleUses({ loads }: TargetFacts): Use[] {
  const missing = wordsOf(lacks.modules);
  return loads
    .filter(({ name }) => name.startsWith('node:') && missing.has(name.slice(5)))
    .map(({ node, name }): Use => ({ kind: 'module', what: name, node }));
}
