/** Names of members and properties, also in brackets. */
import type {
  AnyNode,
  AssignmentProperty,
  Expression,
  MemberExpression,
  MethodDefinition,
  PrivateIdentifier,
  Property,
  PropertyDefinition,
} from 'acorn';
import { findDefinition, type Scopes } from '../scope/scope-analysis.ts';

/** The text of a literal: `'a'`, `` `a` ``, and 1 as a key; undefined for other nodes. */
export function getLiteralText(node: AnyNode): string | undefined {
  if (node.type === 'Literal') return node.value === null || node.regex ? undefined : String(node.value);
  const isPlain = node.type === 'TemplateLiteral' && node.expressions.length === 0;
  return isPlain ? (node.quasis[0]?.value.cooked ?? undefined) : undefined;
}

function getKeyText(key: Expression | PrivateIdentifier, computed: boolean, scopes?: Scopes): string | undefined {
  // A constant is followed: `const KEY = 'a'; x[KEY]`.
  if (computed) return getLiteralText((scopes && findDefinition(key, scopes)) ?? key);
  return key.type === 'Identifier' ? key.name : getLiteralText(key);
}

/** The name of a member: `a.b`, `a['b']`, a[`b`], `a[B]`. */
export const getMemberName = ({ property, computed }: MemberExpression, scopes?: Scopes) =>
  getKeyText(property, computed, scopes);

/** The name of a called function or method. Bundlers call an import as `(0, fs.readFileSync)()`. */
export function getCalleeName(callee: AnyNode): string | undefined {
  if (callee.type === 'SequenceExpression') return getCalleeName(callee.expressions.at(-1) as AnyNode);
  if (callee.type === 'Identifier') return callee.name;
  return callee.type === 'MemberExpression' ? getMemberName(callee) : undefined;
}

/** The name of a property in an object or a pattern. */
export const getPropertyName = ({ key, computed }: Keyed, scopes?: Scopes) => getKeyText(key, computed, scopes);

type Keyed = Property | AssignmentProperty | MethodDefinition | PropertyDefinition;
