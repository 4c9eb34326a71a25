/** Whether the code is ready for a use to be missing: by a branch for other environments, or a `catch` that replaces it. */
import type { AnyNode, CatchClause, TryStatement } from 'acorn';
import { memberName } from '../ast/member-names.ts';
import { countSteps } from '../ast/steps.ts';
import { walk } from '../ast/walk.ts';
import { variablesIn } from '../scope/binding-identifiers.ts';
import type { Scopes } from '../scope/scope-analysis.ts';
import { isNeeded } from './api-use.ts';
import { constantValue } from './builtin-type.ts';

export const isGuardedAt = (node: AnyNode, scopes: Scopes): boolean =>
  isInBranch(node, scopes) || isReplacedByCatch(node, scopes);

/** Names of other places where code runs. */
const ELSEWHERE = /^(window|document|self|navigator|Deno|Bun|EdgeRuntime|importScripts)$/;
const MAX_STEPS = 3;

/** Whether a node runs only by a test of where the code runs, or of the version of Node.js. */
function isInBranch(node: AnyNode, scopes: Scopes): boolean {
  for (let at = node, parent = scopes.parentOf.get(at); parent; at = parent, parent = scopes.parentOf.get(at)) {
    if (testsOf(parent, at).some((test) => asksEnvironment(test, scopes))) return true;
  }
  return false;
}

/** The tests that decide whether a child of a node runs: of a branch, or of earlier statements that end the block. */
function testsOf(parent: AnyNode, node: AnyNode): AnyNode[] {
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

function asksEnvironment(test: AnyNode, scopes: Scopes, steps = 0): boolean {
  if (steps > MAX_STEPS) return false;
  return walk(test).some((node) => {
    if (node.type === 'UnaryExpression') {
      const { operator, argument } = node;
      return operator === 'typeof' && argument.type === 'Identifier' && ELSEWHERE.test(argument.name);
    }
    if (node.type === 'MemberExpression') {
      const isProcess = node.object.type === 'Identifier' && node.object.name === 'process';
      return isProcess && /^versions?$/.test(memberName(node) ?? '');
    }
    const value = node.type === 'Identifier' ? constantValue(node, scopes) : undefined;
    return value !== undefined && asksEnvironment(value, scopes, steps + 1);
  });
}

/** Whether a `try` around a node has a `catch` that does something else instead of it. */
export function isReplacedByCatch(node: AnyNode, scopes: Scopes): boolean {
  for (let at = node, parent = scopes.parentOf.get(at); parent; at = parent, parent = scopes.parentOf.get(at)) {
    // What a function does inside of a try may happen after it.
    if (/Function/.test(parent.type)) return false;
    if (parent.type === 'TryStatement' && parent.block === at && parent.handler) {
      if (replaces(parent, parent.handler, !isNeeded(node, scopes) || hasFallback(parent, scopes))) return true;
    }
  }
  return false;
}

function replaces({ block }: TryStatement, handler: CatchClause, mayBeEmpty: boolean): boolean {
  const inside = ownNodes(handler.body);
  if (inside.some(({ type }) => type === 'ThrowStatement')) return false;
  // `try { copy = structuredClone } catch {}` asks whether it is there.
  if (handler.body.body.length === 0) return mayBeEmpty;
  const assigned = new Set(assignedIn(inside));
  if (assignedIn(ownNodes(block)).some((name) => assigned.has(name))) return true;
  const caught = new Set(handler.param ? variablesIn(handler.param).map(({ name }) => name) : []);
  // A handler that uses the error reports it.
  return !inside.some((node) => node.type === 'Identifier' && caught.has(node.name));
}

/** Whether something is in place of what a `try` does: a statement after its `return`, or the value that a variable had. */
function hasFallback(node: TryStatement, scopes: Scopes): boolean {
  const inside = ownNodes(node.block);
  const parent = scopes.parentOf.get(node);
  const isLast = parent?.type === 'BlockStatement' && parent.body.at(-1) === node;
  if (!isLast && inside.some(({ type }) => type === 'ReturnStatement')) return true;
  return inside.some((one) => {
    const [name] = one.type === 'AssignmentExpression' ? variablesIn(one.left) : [];
    const [declared] = (name && scopes.variableOf.get(name)?.declaredBy) ?? [];
    return declared?.type === 'VariableDeclarator' && declared.init != null;
  });
}

/** The nodes of a block, without those of functions in it. */
const ownNodes = (block: AnyNode) => walk(block, (node) => /Function/.test(node.type));

const assignedIn = (nodes: readonly AnyNode[]): string[] =>
  nodes.flatMap((node) => (node.type === 'AssignmentExpression' ? variablesIn(node.left).map(({ name }) => name) : []));
