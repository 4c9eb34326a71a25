/** JSON as TypeScript reads it in tsconfig.json: with comments and trailing commas. */
import type { AnyNode, Expression } from 'acorn';
import { DeepParser } from '../deep-parser.ts';

/** The value of a text; undefined if it is not JSON. */
export function parseLooseJson(text: string): unknown {
  try {
    const source = `(${text.replace(/^\uFEFF/, '')}\n)`;
    const { body } = DeepParser.parse(source, { ecmaVersion: 2022 });
    const [statement] = body;
    return body.length === 1 && statement?.type === 'ExpressionStatement' ? toValue(statement.expression) : undefined;
  } catch {
    return undefined;
  }
}

function toValue(node: Expression | AnyNode | null): unknown {
  if (node?.type === 'Literal' && !node.regex) return node.value;
  if (node?.type === 'ArrayExpression') return node.elements.map(toValue);
  if (node?.type === 'UnaryExpression' && node.operator === '-') return -Number(toValue(node.argument));
  if (node?.type !== 'ObjectExpression') throw new SyntaxError('not JSON');
  return Object.fromEntries(
    node.properties.map((property) => {
      if (property.type !== 'Property' || property.key.type !== 'Literal') throw new SyntaxError('not JSON');
      return [String(property.key.value), toValue(property.value)];
    }),
  );
}
