/** Whether code handles a missing API: in a branch for other runtimes, or with a `catch` that replaces it. */
import type { AnyNode, CatchClause, TryStatement } from 'acorn';
import { getMemberName } from '../ast/member-names.ts';
import { countSteps } from '../ast/steps.ts';
import { isFunction, listAncestors, walk } from '../ast/walk.ts';
import { listBindingIdentifiers } from '../scope/scope.ts';
import { findDefinition, type Scopes } from '../scope/scope-analysis.ts';

export const isGuarded = (node: AnyNode, scopes: Scopes): boolean =>
  isInEnvironmentBranch(node, scopes) || isReplacedByCatch(node, scopes);

/** Globals of other runtimes. */
const OTHER_RUNTIMES = /^(window|document|self|navigator|Deno|Bun|EdgeRuntime|importScripts)$/;
const MAX_STEPS = 3;

/** Whether a node depends on a test of the runtime, or of the version of Node.js. */
const isInEnvironmentBranch = (node: AnyNode, scopes: Scopes): boolean =>
  [...listAncestors(node, scopes)].some(({ parent, child }) =>
    findDecidingTests(parent, child).some((test) => isEnvironmentTest(test, scopes)),
  );

/** The tests that decide whether a child runs: of a branch, or of earlier statements that exit the block. */
function findDecidingTests(parent: AnyNode, node: AnyNode): AnyNode[] {
  switch (parent.type) {
    case 'IfStatement':
    case 'ConditionalExpression':
      return parent.test === node ? [] : [parent.test];
    case 'LogicalExpression':
      return parent.right === node ? [parent.left] : [];
    case 'BlockStatement':
    case 'Program': {
      const before = parent.body.slice(0, parent.body.indexOf(node as never));
      countSteps(before.length);
      return before.flatMap((statement) =>
        statement.type === 'IfStatement' && isExit(statement.consequent) ? [statement.test] : [],
      );
    }
    default:
      return [];
  }
}

function isExit(node: AnyNode): boolean {
  countSteps();
  if (node.type === 'BlockStatement') return node.body.some(isExit);
  return /^(Return|Throw|Continue|Break)Statement$/.test(node.type);
}

function isEnvironmentTest(test: AnyNode, scopes: Scopes, steps = 0): boolean {
  if (steps > MAX_STEPS) return false;
  return walk(test).some((node) => {
    if (node.type === 'UnaryExpression') {
      const { operator, argument } = node;
      return operator === 'typeof' && argument.type === 'Identifier' && OTHER_RUNTIMES.test(argument.name);
    }
    if (node.type === 'MemberExpression') {
      const isProcess = node.object.type === 'Identifier' && node.object.name === 'process';
      return isProcess && /^versions?$/.test(getMemberName(node) ?? '');
    }
    const value = node.type === 'Identifier' ? findDefinition(node, scopes) : undefined;
    return value !== undefined && isEnvironmentTest(value, scopes, steps + 1);
  });
}

/** Whether a `try` around a node has a `catch` with a fallback. */
function isReplacedByCatch(node: AnyNode, scopes: Scopes): boolean {
  for (const { parent, child } of listAncestors(node, scopes)) {
    // A function in a try may be called after it.
    if (isFunction(parent)) return false;
    if (parent.type !== 'TryStatement' || parent.block !== child || !parent.handler) continue;
    if (isFallbackHandler(parent, parent.handler, !isNeeded(node, scopes) || hasFallback(parent, scopes))) return true;
  }
  return false;
}

function isFallbackHandler({ block }: TryStatement, handler: CatchClause, mayBeEmpty: boolean): boolean {
  const inside = listOwnNodes(handler.body);
  if (inside.some(({ type }) => type === 'ThrowStatement')) return false;
  // `try { copy = structuredClone } catch {}` is a feature test.
  if (handler.body.body.length === 0) return mayBeEmpty;
  const assigned = new Set(listAssignedNames(inside));
  if (listAssignedNames(listOwnNodes(block)).some((name) => assigned.has(name))) return true;
  const caught = new Set(handler.param ? listBindingIdentifiers(handler.param).map(({ name }) => name) : []);
  // A handler that uses the error reports it.
  return !inside.some((node) => node.type === 'Identifier' && caught.has(node.name));
}

/** Whether a `try` has a fallback after it: a statement after its `return`, or the initial value of a variable. */
function hasFallback(node: TryStatement, scopes: Scopes): boolean {
  const inside = listOwnNodes(node.block);
  const parent = scopes.parentOf.get(node);
  const isLast = parent?.type === 'BlockStatement' && parent.body.at(-1) === node;
  if (!isLast && inside.some(({ type }) => type === 'ReturnStatement')) return true;
  return inside.some((one) => {
    const [name] = one.type === 'AssignmentExpression' ? listBindingIdentifiers(one.left) : [];
    const [declared] = (name && scopes.variableOf.get(name)?.declarations) ?? [];
    return declared?.type === 'VariableDeclarator' && declared.init != null;
  });
}

/** The nodes of a block, without those of nested functions. */
const listOwnNodes = (block: AnyNode) => walk(block, isFunction);

const listAssignedNames = (nodes: readonly AnyNode[]): string[] =>
  nodes.flatMap((node) =>
    node.type === 'AssignmentExpression' ? listBindingIdentifiers(node.left).map(({ name }) => name) : [],
  );

/** Whether the code throws if the value is undefined: it is called, constructed, extended, or a member is read. */
export function isNeeded(node: AnyNode, { parentOf }: Pick<Scopes, 'parentOf'>): boolean {
  const parent = parentOf.get(node);
  if (parent?.type === 'BinaryExpression') return parent.operator === 'instanceof' && parent.right === node;
  // Bundlers call an import as `(0, module.name)()`.
  if (parent?.type === 'SequenceExpression')
    return parent.expressions.at(-1) === node && isNeeded(parent, { parentOf });
  if (parent?.type === 'MemberExpression') return parent.object === node && !parent.optional;
  if (parent?.type === 'CallExpression' || parent?.type === 'NewExpression')
    return parent.callee === node && !('optional' in parent && parent.optional);
  return parent !== undefined && 'superClass' in parent && parent.superClass === node;
}
