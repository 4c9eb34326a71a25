/** Modules of Node.js, and members of them, that Node.js 16 missing. */
import type { AnyNode, Pattern } from 'acorn';
import { appendTo } from '../../text/append-to.ts';
import { getMemberName, getPropertyName } from '../ast/member-names.ts';
import { isConstant, type Scopes } from '../scope/scope-analysis.ts';
import { isPackage, type Node16Facts } from './facts.ts';
import { type ApiUse, lookUpRow, parseWords, selectIfAllNeeded } from './guards.ts';
import missing from './missing.json' with { type: 'json' };

/** `crypto.hash` where crypto is `require('crypto')`, and `const { hash } = require('crypto')`. */
export function findModuleMemberUses(scopes: Scopes, { loads }: Node16Facts): ApiUse[] {
  return loads.flatMap(({ node, name }) => {
    if (node.type !== 'CallExpression' || !isBuiltin(name)) return [];
    const module = name.replace(/^node:/, '');
    const { members, classes } = findModuleAccesses(node, lookUpRow(missing.members, module), scopes);
    return [
      ...members.map(([member, at]): ApiUse => ({ kind: 'member', what: `require('${name}').${member}`, node: at })),
      ...classes.flatMap(([className, reads]) =>
        findAccessedMembers(reads, lookUpRow(missing.classes, `${module}.${className}`), scopes).map(
          ([member, at]): ApiUse => ({ kind: 'member', what: `${className}.${member}`, node: at }),
        ),
      ),
    ];
  });
}

interface ModuleAccesses {
  /** The missing members that are used. */
  members: [string, AnyNode][];
  /** The uses of classes of the module. */
  classes: [string, AnyNode[]][];
}

/** The accesses to a module that a call of require loads. */
function findModuleAccesses(call: AnyNode, names: ReadonlySet<string>, scopes: Scopes): ModuleAccesses {
  const { value, isInterop } = findLoadedValue(call, scopes);
  const parent = scopes.parentOf.get(value);
  const pattern = parent?.type === 'VariableDeclarator' ? parent.id : undefined;
  if (pattern?.type === 'ObjectPattern') {
    return {
      members: findDestructuredMembers(pattern, names, scopes),
      classes: findDestructuredClasses(pattern, scopes),
    };
  }
  const references = pattern ? listConstantReads(pattern, scopes) : [value];
  const all = isInterop
    ? references.flatMap((reference) => [reference, ...findDefaultAccess(reference, scopes)])
    : references;
  return { members: findAccessedMembers(all, names, scopes), classes: findAccessedClasses(all, scopes) };
}

const isBuiltin = (name: string) => !isPackage(name);

/** The value of a load. For imports, esbuild wraps it: `__toESM(require("node:crypto"))`. */
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

/** Uses of classes, whose static methods may be missing: `stream.Readable`. */
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

/** The members with these names that a pattern destructures and the code needs. */
export function findDestructuredMembers(
  pattern: Pattern,
  names: ReadonlySet<string>,
  scopes: Scopes,
): [string, AnyNode][] {
  if (pattern.type !== 'ObjectPattern') return [];
  return pattern.properties.flatMap((property): [string, AnyNode][] => {
    const member = property.type === 'Property' ? getPropertyName(property) : undefined;
    if (property.type !== 'Property' || member === undefined || !names.has(member)) return [];
    return selectIfAllNeeded(listConstantReads(property.value, scopes), scopes).length > 0 ? [[member, property]] : [];
  });
}

/** The members with these names that are read from any of these references. */
function findAccessedMembers(
  references: readonly AnyNode[],
  names: ReadonlySet<string>,
  scopes: Scopes,
): [string, AnyNode][] {
  const found = new Map<string, AnyNode[]>();
  for (const reference of references) {
    const parent = scopes.parentOf.get(reference);
    const name = parent?.type === 'MemberExpression' && parent.object === reference ? getMemberName(parent) : undefined;
    if (!parent || name === undefined || !names.has(name)) continue;
    appendTo(found, name, parent);
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

/** `require('node:sqlite')`; without `node:` it may be a package. */
export function findModuleUses({ loads }: Node16Facts): ApiUse[] {
  const names = parseWords(missing.modules);
  return loads
    .filter(({ name }) => name.startsWith('node:') && names.has(name.slice(5)))
    .map(({ node, name }): ApiUse => ({ kind: 'module', what: name, node }));
}
