/** Modules of Node.js, and members of them, that Node.js 16 lacks. */
import type { AnyNode, Pattern } from 'acorn';
import { getMemberName, getPropertyName } from '../ast/member-names.ts';
import { isConstant, type Scopes } from '../scope/scope-analysis.ts';
import { type ApiUse, lookUpRow, parseWords, selectIfAllNeeded } from './api-use.ts';
import { isPackage, type Node16Facts } from './facts.ts';
import lacks from './missing.json' with { type: 'json' };

/** `crypto.hash` where crypto is `require('crypto')`, and `const { hash } = require('crypto')`. */
export function findModuleMemberUses(scopes: Scopes, { loads }: Node16Facts): ApiUse[] {
  return loads.flatMap(({ node, name }) => {
    if (node.type !== 'CallExpression' || !isBuiltin(name)) return [];
    const module = name.replace(/^node:/, '');
    const { members, classes } = findModuleAccesses(node, lookUpRow(lacks.members, module), scopes);
    return [
      ...members.map(([member, at]): ApiUse => ({ kind: 'member', what: `require('${name}').${member}`, node: at })),
      ...classes.flatMap(([className, reads]) =>
        findAccessedMembers(reads, lookUpRow(lacks.classes, `${module}.${className}`), scopes).map(
          ([member, at]): ApiUse => ({ kind: 'member', what: `${className}.${member}`, node: at }),
        ),
      ),
    ];
  });
}

interface ModuleAccesses {
  /** The missing members that are used. */
  members: [string, AnyNode][];
  /** The places where classes of the module are used. */
  classes: [string, AnyNode[]][];
}

/** What code takes from a module that a call of require loads. */
function findModuleAccesses(call: AnyNode, missing: ReadonlySet<string>, scopes: Scopes): ModuleAccesses {
  const { value, isInterop } = findLoadedValue(call, scopes);
  const parent = scopes.parentOf.get(value);
  const pattern = parent?.type === 'VariableDeclarator' ? parent.id : undefined;
  if (pattern?.type === 'ObjectPattern') {
    return {
      members: findDestructuredMembers(pattern, missing, scopes),
      classes: findDestructuredClasses(pattern, scopes),
    };
  }
  const references = pattern ? listConstantReads(pattern, scopes) : [value];
  const all = isInterop ? references.flatMap((place) => [place, ...findDefaultAccess(place, scopes)]) : references;
  return { members: findAccessedMembers(all, missing, scopes), classes: findAccessedClasses(all, scopes) };
}

const isBuiltin = (name: string) => !isPackage(name);

/** The value that a load gives; esbuild wraps it for imports: `__toESM(require("node:crypto"))`. */
function findLoadedValue(node: AnyNode, { parentOf }: Scopes): { value: AnyNode; isInterop: boolean } {
  const parent = parentOf.get(node);
  const isInterop =
    parent?.type === 'CallExpression' &&
    parent.arguments[0] === node &&
    parent.callee.type === 'Identifier' &&
    /^__(toESM|importDefault|importStar)$/.test(parent.callee.name);
  return isInterop ? { value: parent, isInterop } : { value: node, isInterop };
}

/** `import_crypto.default` */
function findDefaultAccess(reference: AnyNode, { parentOf }: Scopes): AnyNode[] {
  const parent = parentOf.get(reference);
  return parent?.type === 'MemberExpression' && getMemberName(parent) === 'default' ? [parent] : [];
}

/** The places of classes of a module, whose static methods may be missing: `stream.Readable`. */
function findAccessedClasses(references: readonly AnyNode[], { parentOf }: Scopes): [string, AnyNode[]][] {
  return references.flatMap((reference): [string, AnyNode[]][] => {
    const parent = parentOf.get(reference);
    const name = parent?.type === 'MemberExpression' && parent.object === reference ? getMemberName(parent) : undefined;
    return parent && name !== undefined ? [[name, [parent]]] : [];
  });
}

/** `const { Readable } = require('stream')` */
function findDestructuredClasses(pattern: Pattern, scopes: Scopes): [string, AnyNode[]][] {
  if (pattern.type !== 'ObjectPattern') return [];
  return pattern.properties.flatMap((property): [string, AnyNode[]][] => {
    const name = property.type === 'Property' ? getPropertyName(property) : undefined;
    if (property.type !== 'Property' || name === undefined) return [];
    return [[name, listConstantReads(property.value, scopes)]];
  });
}

/** The members of these names that a pattern takes out and the code needs. */
export function findDestructuredMembers(
  pattern: Pattern,
  missing: ReadonlySet<string>,
  scopes: Scopes,
): [string, AnyNode][] {
  if (pattern.type !== 'ObjectPattern') return [];
  return pattern.properties.flatMap((property): [string, AnyNode][] => {
    const member = property.type === 'Property' ? getPropertyName(property) : undefined;
    if (property.type !== 'Property' || member === undefined || !missing.has(member)) return [];
    return selectIfAllNeeded(listConstantReads(property.value, scopes), scopes).length > 0 ? [[member, property]] : [];
  });
}

/** The members of these names that are read off a value at any of its places. */
function findAccessedMembers(
  references: readonly AnyNode[],
  missing: ReadonlySet<string>,
  scopes: Scopes,
): [string, AnyNode][] {
  const found = new Map<string, AnyNode[]>();
  for (const reference of references) {
    const parent = scopes.parentOf.get(reference);
    const name = parent?.type === 'MemberExpression' && parent.object === reference ? getMemberName(parent) : undefined;
    if (!parent || name === undefined || !missing.has(name)) continue;
    const known = found.get(name);
    if (known) known.push(parent);
    else found.set(name, [parent]);
  }
  return [...found].flatMap(([name, nodes]) =>
    selectIfAllNeeded(nodes, scopes)
      .slice(0, 1)
      .map((node): [string, AnyNode] => [name, node]),
  );
}

function listConstantReads(pattern: Pattern, { variableOf }: Scopes): AnyNode[] {
  const variable = variableOf.get(pattern);
  return variable && isConstant(variable) ? variable.reads : [];
}

/** `require('node:sqlite')`; without `node:` it may be a package. One that is tried for may be missing. */
export function findModuleUses({ loads }: Node16Facts): ApiUse[] {
  const missing = parseWords(lacks.modules);
  return loads
    .filter(({ name }) => name.startsWith('node:') && missing.has(name.slice(5)))
    .map(({ node, name }): ApiUse => ({ kind: 'module', what: name, node }));
}
