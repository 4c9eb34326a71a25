/** Finds the string literals of a script, with the names that they are assigned to. */
import type { AnyNode } from 'acorn';
import { getLiteralText, getMemberName, getPropertyName } from './member-names.ts';
import type { Parents, SyntaxTree } from './walk.ts';

export interface StringLiteral {
  value: string;
  /** Offsets of the source text, without quotes. */
  start: number;
  end: number;
  /** The variable or property that it is assigned to, or the first argument of the call; empty if none. */
  name: string;
}

/** Shorter strings cannot be keys. */
const MIN_LENGTH = 16;

/** Strings, and the fixed parts of templates, that may contain a key. */
export function findStringLiterals({ nodesOfType, parentOf }: SyntaxTree): StringLiteral[] {
  const literals: StringLiteral[] = [];
  for (const node of [...nodesOfType('Literal'), ...nodesOfType('TemplateElement')]) {
    const value = node.type === 'TemplateElement' ? node.value.cooked : node.value;
    if (typeof value !== 'string' || value.length < MIN_LENGTH) continue;
    const quote = node.type === 'Literal' ? 1 : 0;
    literals.push({ value, start: node.start + quote, end: node.end - quote, name: findAssignedName(node, parentOf) });
  }
  return literals;
}

/** Expressions whose value may be the literal: `process.env.KEY || 'text'`. */
const TRANSPARENT_PARENTS = /^(LogicalExpression|ConditionalExpression|TemplateLiteral|AwaitExpression)$/;

function findAssignedName(node: AnyNode, parentOf: Parents): string {
  let value = node;
  let parent = parentOf.get(node);
  while (parent && TRANSPARENT_PARENTS.test(parent.type)) {
    value = parent;
    parent = parentOf.get(parent);
  }
  switch (parent?.type) {
    case 'VariableDeclarator':
      return getTargetName(parent.id);
    case 'AssignmentExpression':
    case 'AssignmentPattern':
      return getTargetName(parent.left);
    case 'Property':
    case 'PropertyDefinition':
      return parent.value === value ? (getPropertyName(parent) ?? '') : '';
    case 'CallExpression':
    case 'NewExpression': {
      const [first] = parent.arguments;
      return first && first !== value ? (getLiteralText(first) ?? '') : '';
    }
    default:
      return '';
  }
}

function getTargetName(target: AnyNode): string {
  if (target.type === 'Identifier') return target.name;
  return target.type === 'MemberExpression' ? (getMemberName(target) ?? '') : '';
}
