/** Distinguishes identifiers that are variables from keys and labels. */
import type { AnyNode, Expression, Identifier, Pattern } from 'acorn';

/** The variables in a pattern: a, c, and d in `{ a, b: [c], ...d }`. */
export function listBindingIdentifiers(pattern: Pattern | Expression): Identifier[] {
  switch (pattern.type) {
    case 'Identifier':
      return [pattern];
    case 'ObjectPattern':
      return pattern.properties.flatMap((property) =>
        listBindingIdentifiers(property.type === 'Property' ? property.value : property.argument),
      );
    case 'ArrayPattern':
      return pattern.elements.flatMap((element) => (element ? listBindingIdentifiers(element) : []));
    case 'AssignmentPattern':
      return listBindingIdentifiers(pattern.left);
    case 'RestElement':
      return listBindingIdentifiers(pattern.argument);
    default:
      return [];
  }
}

/** Whether an identifier is a key or a label, not a variable. */
export function isNonReference(node: Identifier, parent: AnyNode): boolean {
  switch (parent.type) {
    case 'MemberExpression':
      return parent.property === node && !parent.computed;
    case 'Property':
    case 'PropertyDefinition':
    case 'MethodDefinition':
      return parent.key === node && !parent.computed;
    case 'LabeledStatement':
    case 'BreakStatement':
    case 'ContinueStatement':
    case 'MetaProperty':
      return true;
    default:
      return false;
  }
}
