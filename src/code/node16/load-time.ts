/** Decides which code of a bundled package runs when it is loaded. */
import type { AnyNode } from 'acorn';
import { getCalleeName, getMemberName, getPropertyName } from '../ast/member-names.ts';
import { countSteps } from '../ast/steps.ts';
import { isFunction, listAncestors } from '../ast/walk.ts';
import type { Scopes } from '../scope/scope-analysis.ts';
import type { Node16Facts } from './facts.ts';
import { isNeeded } from './guards.ts';
import type { MissingName } from './table.ts';

/** Whether a package throws at load time because of a missing API; a missing property is only undefined. */
export function failsAtLoad({ kind, node }: MissingName & { node: AnyNode }, scopes: Scopes): boolean {
  return throwsIfMissing(kind, node, scopes) && isAtLoad(node, scopes);
}

function throwsIfMissing(kind: MissingName['kind'], node: AnyNode, scopes: Scopes): boolean {
  const parent = scopes.parentOf.get(node);
  // `globalThis.fetch` is undefined, but `fetch` throws.
  if (kind === 'global' && parent?.type === 'MemberExpression' && parent.property === node)
    return isNeeded(parent, scopes);
  // A destructured member may only be needed later.
  const isMember = kind === 'member' && node.type === 'MemberExpression';
  return kind === 'module' || (kind === 'global' && node.type === 'Identifier') || isMember;
}

/** Whether a node runs when its module is loaded; esbuild's wrapper of a CommonJS module runs then too. */
const isAtLoad = (node: AnyNode, scopes: Scopes): boolean =>
  [...listAncestors(node, scopes)].every(({ parent }) => !isFunction(parent) || isWrapper(scopes.parentOf.get(parent)));

/** Whether a node is in a CommonJS module, which is never tree-shaken. */
export const isInCommonJs = (node: AnyNode, scopes: Scopes): boolean =>
  [...listAncestors(node, scopes)].some(({ parent }) => isWrapper(parent));

/** `"node_modules/pkg/index.js"(exports, module) {` */
const isWrapper = (node: AnyNode | undefined) =>
  node?.type === 'Property' && node.method && /[/.]/.test(getPropertyName(node) ?? '');

/** The names of all functions and methods that a script and other code of its bundle call. */
export const collectCalledNames = ({ nodesOfType }: Scopes, others: string): ReadonlySet<string> =>
  new Set([
    ...nodesOfType('CallExpression').flatMap(({ callee }) => getCalleeName(callee) ?? []),
    ...[...others.matchAll(/(?<![\w$])([\w$]+)\)?\(/g)].map(([, name = '']) => name),
  ]);

/** False for code in a named function that is never called, such as an unused export of a package. */
export const mayRun = (node: AnyNode, called: ReadonlySet<string>, scopes: Scopes): boolean =>
  [...listAncestors(node, scopes)].every(({ parent }) => {
    if (parent.type !== 'FunctionDeclaration' || !parent.id || called.has(parent.id.name)) return true;
    const reads = scopes.variableOf.get(parent.id)?.reads ?? [];
    countSteps(reads.length);
    return reads.some((read) => isWholeExport(scopes.parentOf.get(read)));
  });

/** `module.exports = install`: the function may be called by another name. */
const isWholeExport = (node: AnyNode | undefined) =>
  node?.type === 'AssignmentExpression' &&
  node.left.type === 'MemberExpression' &&
  getMemberName(node.left) === 'exports';

/** Whether code loads a Node.js or CommonJS module, which may replace a global. */
export const loadsModules = ({ nodesOfType }: Scopes, { loads }: Pick<Node16Facts, 'loads'>): boolean =>
  loads.length > 0 ||
  nodesOfType('CallExpression').some(({ callee }) => callee.type === 'Identifier' && /^require_\w+$/.test(callee.name));
