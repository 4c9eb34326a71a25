/** The variables of a script whose value can be told from their one declaration. */
import type { AnyNode, Expression, Pattern, Program } from 'acorn';
import { walk } from './walk.ts';

/** Name to the one value that a variable ever has; names that are declared twice or changed are not in it. */
export type Bindings = ReadonlyMap<string, AnyNode>;

/** Looks at every declaration and change in the whole script, whatever its scope: one name, one declaration. */
export function bindingsOf(program: Program): Bindings {
  const values = new Map<string, AnyNode>();
  const declared = new Map<string, number>();
  const declare = (name: string, times = 1) => declared.set(name, (declared.get(name) ?? 0) + times);
  for (const node of walk(program)) {
    for (const name of namesBoundBy(node)) declare(name);
    for (const name of namesChangedBy(node)) declare(name, 2);
    if (node.type === 'VariableDeclarator' && node.id.type === 'Identifier' && node.init)
      values.set(node.id.name, node.init);
    if ((node.type === 'FunctionDeclaration' || node.type === 'ClassDeclaration') && node.id)
      values.set(node.id.name, node);
  }
  return new Map([...values].filter(([name]) => declared.get(name) === 1));
}

function namesBoundBy(node: AnyNode): string[] {
  switch (node.type) {
    case 'VariableDeclarator':
      return namesIn(node.id);
    case 'FunctionDeclaration':
      return [...(node.id ? [node.id.name] : []), ...node.params.flatMap(namesIn)];
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      return node.params.flatMap(namesIn);
    case 'ClassDeclaration':
      return node.id ? [node.id.name] : [];
    case 'CatchClause':
      return node.param ? namesIn(node.param) : [];
    default:
      return [];
  }
}

function namesChangedBy(node: AnyNode): string[] {
  if (node.type === 'AssignmentExpression') return namesIn(node.left);
  if (node.type === 'UpdateExpression') return node.argument.type === 'Identifier' ? [node.argument.name] : [];
  const isLoop = node.type === 'ForInStatement' || node.type === 'ForOfStatement';
  // A loop variable has many values, and no initializer that would be taken for one.
  return isLoop && node.left.type !== 'VariableDeclaration' ? namesIn(node.left) : [];
}

/** The variables in a pattern: `{ a, b: [c], ...d }` has a, c and d. */
function namesIn(pattern: Pattern | Expression): string[] {
  switch (pattern.type) {
    case 'Identifier':
      return [pattern.name];
    case 'ObjectPattern':
      return pattern.properties.flatMap((property) =>
        namesIn(property.type === 'Property' ? property.value : property.argument),
      );
    case 'ArrayPattern':
      return pattern.elements.flatMap((element) => (element ? namesIn(element) : []));
    case 'AssignmentPattern':
      return namesIn(pattern.left);
    case 'RestElement':
      return namesIn(pattern.argument);
    default:
      return [];
  }
}
