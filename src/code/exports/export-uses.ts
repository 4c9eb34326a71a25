/** Every way in which a script touches `module` and `exports`; the first that is not understood ends the search. */
import type { AnyNode, AssignmentExpression, CallExpression, Expression, Identifier, MemberExpression } from 'acorn';
import { countSteps } from '../ast/steps.ts';
import type { Parents, Tree } from '../ast/walk.ts';
import { isOnlyAName } from '../scope/binding-identifiers.ts';

export interface Property {
  name: string;
  /** The offset of its place. */
  at: number;
}

export interface ExportUses {
  /** Assignments to module.exports, in the order in which they are made; conditional ones may not be reached. */
  assignments: { value: Expression; at: number; end: number; isConditional: boolean }[];
  /** Properties that are set on the exported object. */
  properties: Property[];
  /** Assignments that were likely meant for module.exports: `module.export = …`, `modules.exports = …`. */
  typos: { written: string; at: number }[];
  /** Assignments to the variable `exports`. */
  rebinds: AssignmentExpression[];
  /** True below a `return` at the top. */
  mayHaveEnded: boolean;
}

/** What has been found so far, and what every node stands in. */
interface Search extends ExportUses {
  parentOf: Parents;
}

/** All uses, or undefined when the script uses them in a way that is not understood here. */
export function exportUses({ nodesOf, parentOf }: Tree): ExportUses | undefined {
  const uses: Search = { assignments: [], properties: [], typos: [], rebinds: [], mayHaveEnded: false, parentOf };
  for (const type of ESCAPES) for (const node of nodesOf(type)) if (!isUnderstood(node, uses)) return undefined;
  // Of these it counts which comes first.
  const names = nodesOf('Identifier').filter(({ name }) => TELLING.has(name));
  for (const node of [...nodesOf('ReturnStatement'), ...names].sort((a, b) => a.start - b.start)) {
    if (!isUnderstood(node, uses)) return undefined;
  }
  // One assignment inside the value of another is made first, and ends first.
  uses.assignments.sort((a, b) => a.end - b.end);
  return uses;
}

/** Ways to reach the exports that do not name them. */
const ESCAPES = ['WithStatement', 'CallExpression', 'MemberExpression', 'ThisExpression'] as const;

function isUnderstood(node: AnyNode, uses: Search): boolean {
  switch (node.type) {
    case 'WithStatement':
      return false;
    case 'CallExpression':
      return !reachesModuleByCall(node);
    case 'MemberExpression':
      // require.cache holds this module too.
      return !(isNamed(node.object, 'require') && propertyName(node) === 'cache');
    case 'ReturnStatement':
      if (isWithin(node, isFunction, uses)) return true;
      // At the top it ends the script: what stands below it may never be reached.
      uses.mayHaveEnded = true;
      countSteps(uses.assignments.length);
      return uses.assignments.some(({ isConditional }) => !isConditional);
    case 'ThisExpression':
      return isWithin(node, hasOwnThis, uses) || isOnlyRead(node, uses);
    case 'Identifier':
      return isKnownUse(node, uses);
    default:
      return true;
  }
}

const TELLING = new Set(['module', 'modules', 'exports', 'arguments']);

/** `this && this.__importDefault`, as compilers write it; at the top `this` is the exported object. */
function isOnlyRead(node: AnyNode, { parentOf }: Search): boolean {
  const parent = parentOf.get(node);
  if (parent?.type !== 'MemberExpression') return parent?.type === 'LogicalExpression';
  return parent.object === node && parentOf.get(parent)?.type === 'LogicalExpression';
}

const isNamed = (node: AnyNode, name: string) => node.type === 'Identifier' && node.name === name;

/** eval sees every variable; Node.js's own `module` has all that are loaded. */
function reachesModuleByCall({ callee, arguments: [first] }: CallExpression): boolean {
  if (isNamed(callee, 'eval')) return true;
  return isNamed(callee, 'require') && first?.type === 'Literal' && /^(node:)?module$/.test(String(first.value));
}

/** Members of `module` through which its exports cannot be set. */
const HARMLESS = /^(id|filename|path|paths|loaded|require)$/;

function isKnownUse(node: Identifier, uses: Search): boolean {
  const parent = uses.parentOf.get(node);
  if (!parent || isOnlyAName(node, parent)) return true;
  if (node.name === 'arguments') return isWithin(node, hasOwnThis, uses);
  if (node.name === 'exports') return isKnownExportsUse(node, uses);
  if (node.name === 'modules' && parent.type !== 'MemberExpression') return true;
  // typeof module, require.main === module
  if (parent.type === 'UnaryExpression' || parent.type === 'BinaryExpression') return true;
  if (parent.type !== 'MemberExpression' || parent.object !== node) return false;
  const name = propertyName(parent);
  if (node.name === 'modules' || name === 'export') return noteTypo(parent, uses);
  if (name === 'exports') return isKnownExportsUse(parent, uses);
  return name !== undefined && HARMLESS.test(name);
}

/** A member that is set in place of module.exports; any other use of it means nothing here. */
function noteTypo(node: MemberExpression, uses: Search): boolean {
  const assignment = uses.parentOf.get(node);
  const name = propertyName(node) ?? '';
  const isSet = assignment?.type === 'AssignmentExpression' && assignment.left === node;
  const object = node.object.type === 'Identifier' ? node.object.name : '';
  if (isSet && /^exports?$/.test(name)) uses.typos.push({ written: `${object}.${name}`, at: node.start });
  return object === 'modules' || isSet;
}

/** Where the exported object is only read, it can get properties, but not be replaced. */
const READERS =
  /^(Call|New|Binary|Logical|Conditional|Unary)Expression$|^(Expression|Return)Statement$|^VariableDeclarator$/;

/** A use of the export itself, written `exports` or `module.exports`. */
function isKnownExportsUse(node: AnyNode, uses: Search): boolean {
  const parent = uses.parentOf.get(node);
  if (!parent) return false;
  if (parent.type === 'AssignmentExpression') return parent.right === node || isKnownAssignment(parent, uses);
  if (parent.type === 'MemberExpression') {
    const assignment = uses.parentOf.get(parent);
    const isSet = assignment?.type === 'AssignmentExpression' && assignment.left === parent;
    if (isSet) uses.properties.push({ name: propertyName(parent) ?? '[…]', at: parent.start });
    return true;
  }
  return parent.type === 'VariableDeclarator' ? parent.init === node : READERS.test(parent.type);
}

function isKnownAssignment(node: AssignmentExpression, uses: Search): boolean {
  if (node.operator !== '=') return false;
  if (node.left.type === 'Identifier') uses.rebinds.push(node);
  else {
    const isConditional = uses.mayHaveEnded || isWithin(node.left, isCondition, uses);
    uses.assignments.push({ value: node.right, at: node.start, end: node.end, isConditional });
  }
  return true;
}

/** The name of a member that is written out: `a.b`, `a['b']`, a[`b`]. */
function propertyName({ property, computed }: MemberExpression): string | undefined {
  if (!computed) return property.type === 'Identifier' ? property.name : undefined;
  if (property.type === 'Literal') return String(property.value);
  const isPlain = property.type === 'TemplateLiteral' && property.expressions.length === 0;
  return isPlain ? (property.quasis[0]?.value.cooked ?? undefined) : undefined;
}

function isWithin(node: AnyNode, test: (node: AnyNode) => boolean, { parentOf }: Search): boolean {
  for (let at = parentOf.get(node); at; at = parentOf.get(at)) if (test(at)) return true;
  return false;
}

const isFunction = ({ type }: AnyNode) => /Function/.test(type);
const hasOwnThis = ({ type }: AnyNode) => /^Function|^ClassBody$/.test(type);

const CONDITIONS =
  /^(If|Switch|For\w*|While|DoWhile|Try|Labeled)Statement$|^(Conditional|Logical)Expression$|^ChainExpression$|Function|^StaticBlock$|^PropertyDefinition$|^AssignmentPattern$/;
const isCondition = (node: AnyNode) =>
  CONDITIONS.test(node.type) || (node.type === 'AssignmentExpression' && /[|&?]{2}=/.test(node.operator));
