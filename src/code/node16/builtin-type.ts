/** Infers the builtin type of a value: an array, a string, a Set. */
import type { AnyNode, CallExpression, MemberExpression } from 'acorn';
import { getMemberName } from '../ast/member-names.ts';
import { countSteps } from '../ast/steps.ts';
import { isUndeclared } from '../scope/globals.ts';
import { isConstant, resolveConstant, type Scopes } from '../scope/scope-analysis.ts';

const MAX_STEPS = 20;

/** `Array`, `String`, `Set`, …; undefined if unknown. Follows constants and methods that preserve the type. */
export function inferBuiltinType(node: AnyNode, scopes: Scopes, steps = 0): string | undefined {
  countSteps();
  if (steps > MAX_STEPS) return undefined;
  const follow = (next: AnyNode) => inferBuiltinType(next, scopes, steps + 1);
  switch (node.type) {
    case 'ArrayExpression':
      return 'Array';
    case 'TemplateLiteral':
      return 'String';
    case 'Literal':
      return typeof node.value === 'string' ? 'String' : undefined;
    case 'ChainExpression':
      return follow(node.expression);
    case 'NewExpression':
      return isUndeclared(node.callee, scopes) && node.callee.type === 'Identifier' ? node.callee.name : undefined;
    case 'CallExpression':
      return node.callee.type === 'MemberExpression'
        ? inferMethodResult(node, node.callee, scopes, follow)
        : inferGeneratorType(node.callee, scopes);
    default: {
      const value = resolveConstant(node, scopes);
      return value && follow(value);
    }
  }
}

/** The type that a call of a generator returns. */
function inferGeneratorType(callee: AnyNode, scopes: Scopes): string | undefined {
  const variable = scopes.variableOf.get(callee);
  const [declaration] = variable && isConstant(variable) ? variable.declarations : [];
  const definition = declaration?.type === 'VariableDeclarator' ? declaration.init : declaration;
  const isFunction = definition?.type === 'FunctionDeclaration' || definition?.type === 'FunctionExpression';
  return isFunction && definition.generator && !definition.async ? 'Iterator' : undefined;
}

const STATIC_RESULTS: readonly [RegExp, string][] = [
  [/^Object\.(keys|values|entries|getOwnPropertyNames)$|^Array\.(from|of)$/, 'Array'],
  [/^Buffer\.(from|alloc|concat)$/, 'Buffer'],
  [/^JSON\.stringify$/, 'String'],
];
const ITERATED = /^(Array|Map|Set)\.(keys|values|entries)$|^String\.matchAll$/;
const KEEPS_ARRAY = /^(map|filter|slice|concat|sort|reverse|flat|flatMap|splice|fill|copyWithin)$/;
const KEEPS_STRING =
  /^(trim\w*|to(Lower|Upper)Case|slice|substring|replace|replaceAll|pad\w+|repeat|normalize|concat)$/;

/** The type that a method returns: `Object.keys(…)`, `'a b'.split(' ')`, `[…].map(…)`. */
function inferMethodResult(
  { arguments: [first] }: CallExpression,
  callee: MemberExpression,
  scopes: Scopes,
  follow: (node: AnyNode) => string | undefined,
): string | undefined {
  const name = getMemberName(callee) ?? '';
  const { object } = callee;
  const staticResult =
    object.type === 'Identifier' && isUndeclared(object, scopes) ? inferStaticResult(object.name, name) : undefined;
  if (staticResult) return staticResult;
  const isText = first?.type === 'Literal' && (typeof first.value === 'string' || first.regex !== undefined);
  if (name === 'split' && isText) return 'Array';
  const kind = follow(object);
  if (ITERATED.test(`${kind}.${name}`)) return 'Iterator';
  const keeps = kind === 'Array' ? KEEPS_ARRAY : kind === 'String' ? KEEPS_STRING : undefined;
  return keeps?.test(name) ? kind : undefined;
}

function inferStaticResult(owner: string, name: string): string | undefined {
  const [, kind] = STATIC_RESULTS.find(([maker]) => maker.test(`${owner}.${name}`)) ?? [];
  return kind;
}
