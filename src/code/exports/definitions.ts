/** What is known of names whose value is not one definition. */
import type { AnyNode, Identifier } from 'acorn';
import { getPropertyName } from '../ast/member-names.ts';
import { countSteps } from '../ast/steps.ts';
import { listAncestors } from '../ast/walk.ts';
import { isConstant, type Scopes } from '../scope/scope-analysis.ts';

/** An assignment in sloppy mode creates a global. */
export function isDeclaredAnywhere(name: string, { variableOf, free, nodesOfType }: Scopes): boolean {
  const identifiers = nodesOfType('Identifier');
  countSteps(identifiers.length);
  return (
    identifiers.some((node) => node.name === name && variableOf.has(node)) ||
    free.some(({ node, isWrite }) => isWrite && node.name === name)
  );
}

const GLOBAL_OBJECTS = /^(globalThis|global|self|window|Function)$/;

/** Whether the global object may get properties: through its name, `this`, or a package loaded for its effect. */
export function maySetGlobals({ nodesOfType }: Scopes): boolean {
  return (
    nodesOfType('Identifier').some(({ name }) => GLOBAL_OBJECTS.test(name)) ||
    nodesOfType('ThisExpression').length > 0 ||
    nodesOfType('ExpressionStatement').some(
      ({ expression }) =>
        expression.type === 'CallExpression' &&
        expression.callee.type === 'Identifier' &&
        expression.callee.name === 'require',
    )
  );
}

/** Whether a variable without a value is only assigned by later statements of the script: `let f; …; f = async () => {}`. */
export function isAssignedLater(name: Identifier, at: number, scopes: Scopes): boolean {
  const variable = scopes.variableOf.get(name);
  const [declaration] = variable?.declarations ?? [];
  if (variable?.declarations.length !== 1 || declaration?.type !== 'VariableDeclarator' || declaration.init)
    return false;
  const getContext = (node: AnyNode) => [...listAncestors(node, scopes)].map(({ parent }) => parent.type).join(' ');
  return (
    declaration.id.type === 'Identifier' &&
    getContext(declaration) === 'VariableDeclaration Program' &&
    variable.writes.every(
      (node) => node.start > at && getContext(node) === 'AssignmentExpression ExpressionStatement Program',
    )
  );
}

/** The object literal of `const { name: alias } = { … }`, and the key. */
export function findDestructuredObject(name: Identifier, { variableOf }: Scopes) {
  const variable = variableOf.get(name);
  const [declaration] = variable && isConstant(variable) ? variable.declarations : [];
  if (declaration?.type !== 'VariableDeclarator' || declaration.init?.type !== 'ObjectExpression') return undefined;
  if (declaration.id.type !== 'ObjectPattern') return undefined;
  const property = declaration.id.properties.find(
    (one) => one.type === 'Property' && one.value.type === 'Identifier' && variableOf.get(one.value) === variable,
  );
  const key = property?.type === 'Property' ? getPropertyName(property) : undefined;
  return key === undefined ? undefined : { object: declaration.init, key };
}
