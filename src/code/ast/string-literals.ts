/** The strings that stand in a script, each with the name of what it is given to. */
import type { AnyNode } from 'acorn';
import { literalText, memberName, propertyName } from './member-names.ts';
import type { Parents, Tree } from './walk.ts';

export interface Text {
  value: string;
  /** Offsets of the value as it is written, without quotes. */
  start: number;
  end: number;
  /** The variable, property or first argument that it is given to; empty where there is none. */
  name: string;
}

/** No rule looks at shorter ones: they hold no key. */
const MIN_LENGTH = 16;

/** Strings and the fixed parts of templates; those in which there may be a key. */
export function textsOf({ nodesOf, parentOf }: Tree): Text[] {
  const texts: Text[] = [];
  for (const node of [...nodesOf('Literal'), ...nodesOf('TemplateElement')]) {
    const value = node.type === 'TemplateElement' ? node.value.cooked : node.value;
    if (typeof value !== 'string' || value.length < MIN_LENGTH) continue;
    const quote = node.type === 'Literal' ? 1 : 0;
    texts.push({ value, start: node.start + quote, end: node.end - quote, name: nameFor(node, parentOf) });
  }
  return texts;
}

/** What a value may pass through on its way to a name: `process.env.KEY || 'text'`. */
const PASSES = /^(LogicalExpression|ConditionalExpression|TemplateLiteral|AwaitExpression)$/;

function nameFor(node: AnyNode, parentOf: Parents): string {
  let value = node;
  let parent = parentOf.get(node);
  while (parent && PASSES.test(parent.type)) {
    value = parent;
    parent = parentOf.get(parent);
  }
  switch (parent?.type) {
    case 'VariableDeclarator':
      return nameOf(parent.id);
    case 'AssignmentExpression':
    case 'AssignmentPattern':
      return nameOf(parent.left);
    case 'Property':
    case 'PropertyDefinition':
      return parent.value === value ? (propertyName(parent) ?? '') : '';
    case 'CallExpression':
    case 'NewExpression': {
      const [first] = parent.arguments;
      return first && first !== value ? (literalText(first) ?? '') : '';
    }
    default:
      return '';
  }
}

function nameOf(target: AnyNode): string {
  if (target.type === 'Identifier') return target.name;
  return target.type === 'MemberExpression' ? (memberName(target) ?? '') : '';
}
