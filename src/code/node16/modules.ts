/** Modules of Node.js, and members of them, that Node.js 16 lacks. */
import type { AnyNode, Pattern } from 'acorn';
import { getMemberName, getPropertyName } from '../ast/member-names.ts';
import type { Variable } from '../scope/scope.ts';
import { isConstant, type Scopes } from '../scope/scope-analysis.ts';
import { isPackage, type Node16Facts } from './facts.ts';
import { type ApiUse, isNeeded, lookUpRow, parseWords, selectIfAllNeeded } from './guards.ts';
import missing from './missing.json' with { type: 'json' };

/** `crypto.hash` where crypto is `require('crypto')`, `const { hash } = require('crypto')`, and `fs.promises.glob`. */
export function findModuleMemberUses(scopes: Scopes, { loads }: Node16Facts): ApiUse[] {
  return loads.flatMap(({ node, name }) => {
    if (node.type !== 'CallExpression' || isPackage(name)) return [];
    const { value, isInterop } = findLoadedValue(node, scopes);
    const search: MemberSearch = { load: name, isInterop, scopes, found: new Map() };
    followValue(value, name.replace(/^node:/, ''), search);
    return [...search.found.values()].flatMap(({ use, mentions }) => {
      const passed = mentions.filter((mention) => isPassedOn(mention, scopes));
      if (mentions.length === 0 || mentions.some((one) => !isNeeded(one, scopes) && !passed.includes(one))) return [];
      return passed.length === mentions.length ? [{ ...use, isPassedOn: true }] : [use];
    });
  });
}

/** Whether a value is given to a variable or a function, so that it is not known whether the code needs it. */
function isPassedOn(node: AnyNode, { parentOf }: Scopes): boolean {
  const parent = parentOf.get(node);
  if (parent?.type === 'VariableDeclarator') return parent.id.type === 'Identifier';
  if (parent?.type === 'AssignmentExpression') return parent.right === node && parent.operator === '=';
  return parent?.type === 'CallExpression' && parent.arguments.some((argument) => argument === node);
}

interface MemberSearch {
  /** As written: `node:fs`. */
  load: string;
  /** Whether esbuild wraps the module, so that `default` is the module too. */
  isInterop: boolean;
  scopes: Scopes;
  /** The missing members, by path, with all expressions that have them as their value. */
  found: Map<string, { use: ApiUse; mentions: AnyNode[] }>;
}

/** Follows an expression whose value is a module, or a class or namespace in it: `stream`, `stream.Readable`. */
function followValue(node: AnyNode, path: string, search: MemberSearch): void {
  const { scopes, isInterop } = search;
  const parent = scopes.parentOf.get(node);
  if (parent?.type === 'VariableDeclarator' && parent.init === node) followPattern(parent.id, path, search);
  if (parent?.type === 'AssignmentExpression' && parent.right === node) followPattern(parent.left, path, search);
  if (parent?.type !== 'MemberExpression' || parent.object !== node) return;
  const name = getMemberName(parent);
  if (name === 'default' && isInterop) followValue(parent, path, search);
  else if (name !== undefined && isMissing(path, name)) record(path, name, parent, [parent], search);
  else if (name !== undefined && isKnown(`${path}.${name}`)) followValue(parent, `${path}.${name}`, search);
}

function followPattern(pattern: Pattern, path: string, search: MemberSearch): void {
  if (pattern.type !== 'ObjectPattern') {
    for (const read of listConstantReads(pattern, search.scopes)) followValue(read, path, search);
    return;
  }
  for (const property of pattern.properties) {
    const name = property.type === 'Property' ? getPropertyName(property) : undefined;
    if (property.type !== 'Property' || name === undefined) continue;
    if (isMissing(path, name)) {
      record(path, name, property, listConstantReads(property.value, search.scopes), search);
    } else if (isKnown(`${path}.${name}`)) followPattern(property.value, `${path}.${name}`, search);
  }
}

/** The members that a module, or a class or namespace in it, lacks. */
const getRow = (path: string) => lookUpRow(path.includes('.') ? missing.classes : missing.members, path);

const isMissing = (path: string, name: string): boolean => getRow(path).has(name);

/** Whether a class or namespace lacks members. */
const isKnown = (path: string): boolean => getRow(path).size > 0;

function record(
  path: string,
  name: string,
  node: AnyNode,
  mentions: readonly AnyNode[],
  { load, found }: MemberSearch,
): void {
  const key = `${path}.${name}`;
  const [, ...inner] = path.split('.');
  const isClass = /^[A-Z]/.test(inner.at(-1) ?? '');
  const what = isClass ? `${inner.at(-1)}.${name}` : [`require('${load}')`, ...inner, name].join('.');
  const before = found.get(key);
  found.set(key, {
    use: before?.use ?? { kind: 'member', what, node },
    mentions: [...(before?.mentions ?? []), ...mentions],
  });
}

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

function listConstantReads(pattern: Pattern, { variableOf }: Scopes): AnyNode[] {
  const variable = variableOf.get(pattern);
  return variable && (isConstant(variable) || isSetOnce(variable)) ? variable.reads : [];
}

/** `var crypto; crypto = require('crypto');`, as esbuild writes imports of modules that are loaded later. */
const isSetOnce = ({ declarations, writes }: Variable) =>
  writes.length === 1 &&
  declarations.length === 1 &&
  declarations.every((one) => one.type === 'VariableDeclarator' && !one.init);

/** `require('node:sqlite')`, `require('readline/promises')`; other names without `node:` may be packages. */
export function findModuleUses({ loads }: Node16Facts): ApiUse[] {
  const names = parseWords(missing.modules);
  return loads
    .filter(({ name }) => names.has(name.replace(/^node:/, '')) && (name.startsWith('node:') || isSubpath(name)))
    .map(({ node, name }): ApiUse => ({ kind: 'module', what: name, node }));
}

/** Newer versions load these without `node:` too. */
const isSubpath = (name: string): boolean => name.endsWith('/promises');
