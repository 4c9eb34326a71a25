/** Every way in which a script touches `module` and `exports`; the first that is not understood ends the search. */
import type { AnyNode, AssignmentExpression, Expression, Identifier, MemberExpression, Position, Program } from 'acorn';
import { childrenOf } from './walk.ts';

export interface Property {
  name: string;
  at: Position;
}

export interface ExportUses {
  /** Assignments to module.exports, in order of the source; conditional ones may not be reached. */
  assignments: { value: Expression; at: Position; isConditional: boolean }[];
  /** Properties that are set on the exported object. */
  properties: Property[];
  /** Assignments to the variable `exports`. */
  rebinds: AssignmentExpression[];
}

/** A node and what it stands in. */
interface Place {
  node: AnyNode;
  above: Place | undefined;
}

/** All uses, or undefined when the script uses them in a way that is not understood here. */
export function exportUses(program: Program): ExportUses | undefined {
  const uses: ExportUses = { assignments: [], properties: [], rebinds: [] };
  const open: Place[] = [{ node: program, above: undefined }];
  for (let place = open.pop(); place; place = open.pop()) {
    if (!isUnderstood(place, uses)) return undefined;
    const above = place;
    const children = [...childrenOf(place.node)].map((node): Place => ({ node, above }));
    open.push(...children.reverse());
  }
  return uses;
}

function isUnderstood(place: Place, uses: ExportUses): boolean {
  const { node } = place;
  switch (node.type) {
    case 'WithStatement':
      return false;
    case 'CallExpression':
      return !(node.callee.type === 'Identifier' && node.callee.name === 'eval');
    case 'ReturnStatement':
      // At the top it ends the script: what stands below it may never be reached.
      return isWithin(place, isFunction) || uses.assignments.some(({ isConditional }) => !isConditional);
    case 'ThisExpression':
      return isWithin(place, hasOwnThis);
    case 'Identifier':
      return !['module', 'exports', 'arguments'].includes(node.name) || isKnownUse(node, place, uses);
    default:
      return true;
  }
}

function isKnownUse(node: Identifier, place: Place, uses: ExportUses): boolean {
  const parent = place.above?.node;
  if (!parent || isOnlyAName(node, parent)) return true;
  if (node.name === 'arguments') return isWithin(place, hasOwnThis);
  if (node.name === 'exports') return isKnownExportsUse(place, uses);
  // typeof module, require.main === module
  if (parent.type === 'UnaryExpression' || parent.type === 'BinaryExpression') return true;
  if (parent.type !== 'MemberExpression' || parent.object !== node) return false;
  const name = propertyName(parent);
  if (name === 'exports' && place.above) return isKnownExportsUse(place.above, uses);
  return name !== undefined;
}

/** Where the exported object is only read, it can get properties, but not be replaced. */
const READERS =
  /^(Call|New|Binary|Logical|Conditional|Unary)Expression$|^(Expression|Return)Statement$|^VariableDeclarator$/;

/** A use of the export itself, written `exports` or `module.exports`. */
function isKnownExportsUse(place: Place, uses: ExportUses): boolean {
  const { node, above } = place;
  const parent = above?.node;
  if (!parent) return false;
  if (parent.type === 'AssignmentExpression') {
    if (parent.right === node) return true;
    if (parent.operator !== '=') return false;
    if (node.type === 'Identifier') uses.rebinds.push(parent);
    else
      uses.assignments.push({ value: parent.right, at: placeOf(parent), isConditional: isWithin(place, isCondition) });
    return true;
  }
  if (parent.type === 'MemberExpression') {
    const assignment = above.above?.node;
    const isSet = assignment?.type === 'AssignmentExpression' && assignment.left === parent;
    if (isSet) uses.properties.push({ name: propertyName(parent) ?? '[…]', at: placeOf(parent) });
    return true;
  }
  return parent.type === 'VariableDeclarator' ? parent.init === node : READERS.test(parent.type);
}

/** The name of a member that is written out: `a.b`, `a['b']`, a[`b`]. */
function propertyName({ property, computed }: MemberExpression): string | undefined {
  if (!computed) return property.type === 'Identifier' ? property.name : undefined;
  if (property.type === 'Literal') return String(property.value);
  const isPlain = property.type === 'TemplateLiteral' && property.expressions.length === 0;
  return isPlain ? (property.quasis[0]?.value.cooked ?? undefined) : undefined;
}

/** True where an identifier is a key or a label, not a variable. */
function isOnlyAName(node: Identifier, parent: AnyNode): boolean {
  switch (parent.type) {
    case 'MemberExpression':
      return parent.property === node && !parent.computed;
    case 'Property':
      return parent.key === node && !parent.computed && !parent.shorthand;
    case 'PropertyDefinition':
    case 'MethodDefinition':
      return parent.key === node && !parent.computed;
    default:
      return /^(Labeled|Break|Continue)Statement$/.test(parent.type);
  }
}

const placeOf = (node: AnyNode) => node.loc?.start ?? ({ line: 1, column: 0 } as Position);

function isWithin(place: Place, test: (node: AnyNode) => boolean): boolean {
  for (let at = place.above; at; at = at.above) if (test(at.node)) return true;
  return false;
}

const isFunction = ({ type }: AnyNode) => /Function/.test(type);
const hasOwnThis = ({ type }: AnyNode) => /^Function|^ClassBody$/.test(type);

const CONDITIONS =
  /^(If|Switch|For\w*|While|DoWhile|Try|Labeled)Statement$|^(Conditional|Logical)Expression$|Function|^StaticBlock$|^AssignmentPattern$/;
const isCondition = ({ type }: AnyNode) => CONDITIONS.test(type);
