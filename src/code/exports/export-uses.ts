/** Collects all uses of `module` and `exports`, up to the first unknown one. */
import type {
  AnyNode,
  AssignmentExpression,
  Expression,
  Identifier,
  MemberExpression,
  ReturnStatement,
  ThisExpression,
} from 'acorn';
import { getMemberName } from '../ast/member-names.ts';
import { countSteps } from '../ast/steps.ts';
import { isAssigned, isFunction, listAncestors, type SyntaxTree } from '../ast/walk.ts';
import { isNonReference } from '../scope/scope.ts';
import type { Scopes } from '../scope/scope-analysis.ts';

interface ExportedProperty {
  name: string;
  /** Its offset. */
  at: number;
}

export interface ExportUses {
  /** Assignments to module.exports, in the order in which they are made; conditional ones may not be reached. */
  assignments: { value: Expression; at: number; end: number; isConditional: boolean }[];
  /** Properties that are set on the exported object. */
  properties: ExportedProperty[];
  /** Assignments that were likely meant for module.exports: `module.export = …`, `modules.exports = …`. */
  typos: { written: string; at: number }[];
  /** Assignments to the variable `exports`. */
  reassignments: AssignmentExpression[];
  /** Whether a top-level `return` came before. */
  mayReturnEarly: boolean;
}

/** The uses found so far, and the tree. */
interface ExportSearch extends ExportUses {
  tree: SyntaxTree;
}

/** All uses; undefined if the script uses them in an unknown way. */
export function findExportUses(scopes: Scopes): ExportUses | undefined {
  // `eval` and `with` can reach the exports without naming them.
  if (scopes.unclear.length > 0) return undefined;
  const uses: ExportSearch = {
    assignments: [],
    properties: [],
    typos: [],
    reassignments: [],
    mayReturnEarly: false,
    tree: scopes,
  };
  const { nodesOfType } = scopes;
  const names = nodesOfType('Identifier').filter(({ name }) => RELEVANT_NAMES.has(name));
  const nodes = [...nodesOfType('ReturnStatement'), ...nodesOfType('ThisExpression'), ...names];
  // The order of `return` and the names matters.
  if (!nodes.sort((a, b) => a.start - b.start).every((node) => recordUse(node, uses))) return undefined;
  // An assignment inside the value of another one is made first, and ends first.
  uses.assignments.sort((a, b) => a.end - b.end);
  return uses;
}

const RELEVANT_NAMES = new Set(['module', 'modules', 'exports', 'arguments', 'require']);

function recordUse(node: Identifier | ReturnStatement | ThisExpression, uses: ExportSearch): boolean {
  if (node.type === 'Identifier') return recordIdentifier(node, uses);
  if (node.type === 'ThisExpression') return hasAncestor(node, hasOwnThis, uses) || isOnlyRead(node, uses);
  if (hasAncestor(node, isFunction, uses)) return true;
  // At the top level it ends the script, so later code may not run.
  uses.mayReturnEarly = true;
  countSteps(uses.assignments.length);
  return uses.assignments.some(({ isConditional }) => !isConditional);
}

/** `this && this.__importDefault`, as compilers write it; at the top `this` is the exported object. */
function isOnlyRead(node: AnyNode, { tree: { parentOf } }: ExportSearch): boolean {
  const parent = parentOf.get(node);
  if (parent?.type !== 'MemberExpression') return parent?.type === 'LogicalExpression';
  return parent.object === node && parentOf.get(parent)?.type === 'LogicalExpression';
}

/** `require.cache` contains this module too, and the builtin module `module` has all loaded modules. */
function canReachModule(node: Identifier, parent: AnyNode): boolean {
  if (parent.type === 'MemberExpression') return parent.object === node && getMemberName(parent) === 'cache';
  const first = parent.type === 'CallExpression' && parent.callee === node ? parent.arguments[0] : undefined;
  return first?.type === 'Literal' && /^(node:)?module$/.test(String(first.value));
}

/** Members of `module` through which its exports cannot be set. */
const SAFE_MEMBERS = /^(id|filename|path|paths|loaded|require)$/;

function recordIdentifier(node: Identifier, uses: ExportSearch): boolean {
  const parent = uses.tree.parentOf.get(node);
  if (!parent || isNonReference(node, parent)) return true;
  if (node.name === 'require') return !canReachModule(node, parent);
  if (node.name === 'arguments') return hasAncestor(node, hasOwnThis, uses);
  if (node.name === 'exports') return recordExportsUse(node, uses);
  if (node.name === 'modules' && parent.type !== 'MemberExpression') return true;
  // typeof module, require.main === module
  if (parent.type === 'UnaryExpression' || parent.type === 'BinaryExpression') return true;
  if (parent.type !== 'MemberExpression' || parent.object !== node) return false;
  const name = getMemberName(parent);
  if (node.name === 'modules' || name === 'export') return recordTypo(parent, uses);
  if (name === 'exports') return recordExportsUse(parent, uses);
  return name !== undefined && SAFE_MEMBERS.test(name);
}

/** An assignment to a misspelled module.exports; other uses are ignored. */
function recordTypo(node: MemberExpression, uses: ExportSearch): boolean {
  const name = getMemberName(node) ?? '';
  const isSet = isAssigned(node, uses.tree);
  const object = node.object.type === 'Identifier' ? node.object.name : '';
  if (isSet && /^exports?$/.test(name)) uses.typos.push({ written: `${object}.${name}`, at: node.start });
  return object === 'modules' || isSet;
}

/** Parents that may add properties to the exported object, but not replace it. */
const READ_ONLY_PARENTS =
  /^(Call|New|Binary|Logical|Conditional|Unary)Expression$|^(Expression|Return)Statement$|^VariableDeclarator$/;

/** A use of the export itself, written `exports` or `module.exports`. */
function recordExportsUse(node: AnyNode, uses: ExportSearch): boolean {
  const parent = uses.tree.parentOf.get(node);
  if (!parent) return false;
  if (parent.type === 'AssignmentExpression') return parent.right === node || recordAssignment(parent, uses);
  if (parent.type === 'MemberExpression') {
    if (isAssigned(parent, uses.tree)) uses.properties.push({ name: getMemberName(parent) ?? '[…]', at: parent.start });
    return true;
  }
  return parent.type === 'VariableDeclarator' ? parent.init === node : READ_ONLY_PARENTS.test(parent.type);
}

function recordAssignment(node: AssignmentExpression, uses: ExportSearch): boolean {
  if (node.operator !== '=') return false;
  if (node.left.type === 'Identifier') uses.reassignments.push(node);
  else {
    const isConditional = uses.mayReturnEarly || hasAncestor(node.left, isCondition, uses);
    uses.assignments.push({ value: node.right, at: node.start, end: node.end, isConditional });
  }
  return true;
}

function hasAncestor(node: AnyNode, test: (node: AnyNode) => boolean, { tree }: ExportSearch): boolean {
  for (const { parent } of listAncestors(node, tree)) if (test(parent)) return true;
  return false;
}

const hasOwnThis = ({ type }: AnyNode) => /^Function|^ClassBody$/.test(type);

const CONDITIONS =
  /^(If|Switch|For\w*|While|DoWhile|Try|Labeled)Statement$|^(Conditional|Logical)Expression$|^ChainExpression$|Function|^StaticBlock$|^PropertyDefinition$|^AssignmentPattern$/;
const isCondition = (node: AnyNode) =>
  CONDITIONS.test(node.type) || (node.type === 'AssignmentExpression' && /[|&?]{2}=/.test(node.operator));
