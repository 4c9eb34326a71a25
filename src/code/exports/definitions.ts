/** Finds the definitions of names. */
import type { AnyNode, Identifier, ObjectExpression } from 'acorn';
import { getPropertyName } from '../ast/member-names.ts';
import { countSteps } from '../ast/steps.ts';
import { isConstant, type Scopes } from '../scope/scope-analysis.ts';

/** The one value of a variable; its declarator if it never gets a value, undefined if the value is unknown. */
export function findDefinition(name: AnyNode | undefined, { variableOf, parentOf }: Scopes): AnyNode | undefined {
  const variable = name && variableOf.get(name);
  const [declaration] = variable && isConstant(variable) ? variable.declarations : [];
  switch (declaration?.type) {
    case 'VariableDeclarator': {
      const isPlain = declaration.id.type === 'Identifier' && !isLoop(declaration, parentOf);
      return isPlain ? (declaration.init ?? declaration) : undefined;
    }
    case 'ClassDeclaration':
    case 'ClassExpression':
      return declaration;
    case 'FunctionDeclaration':
    case 'FunctionExpression':
      // A function declares its parameters too.
      return declaration.id && variableOf.get(declaration.id) === variable ? declaration : undefined;
    default:
      return undefined;
  }
}

/** Whether a declarator is that of a loop, which gives it other values. */
function isLoop(declarator: AnyNode, parentOf: Scopes['parentOf']): boolean {
  const statement = parentOf.get(declarator);
  return /^For(In|Of)/.test((statement && parentOf.get(statement)?.type) ?? '');
}

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
export function isAssignedLater(name: Identifier, at: number, { variableOf, parentOf }: Scopes): boolean {
  const variable = variableOf.get(name);
  const [declaration, ...others] = variable?.declarations ?? [];
  if (!variable || others.length > 0 || declaration?.type !== 'VariableDeclarator' || declaration.init) return false;
  if (declaration.id.type !== 'Identifier' || !isStatementOf('Program', parentOf.get(declaration), parentOf))
    return false;
  countSteps(variable.writes.length);
  return variable.writes.every((node) => {
    const assignment = parentOf.get(node);
    const statement = assignment && parentOf.get(assignment);
    return (
      node.start > at && statement?.type === 'ExpressionStatement' && isStatementOf('Program', statement, parentOf)
    );
  });
}

const isStatementOf = (type: AnyNode['type'], node: AnyNode | undefined, parentOf: Scopes['parentOf']): boolean =>
  node !== undefined && parentOf.get(node)?.type === type;

/** The object literal of `const { name: alias } = { … }`, and the key. */
export function findDestructuredObject(
  name: Identifier,
  { variableOf, parentOf }: Scopes,
): { object: ObjectExpression; key: string } | undefined {
  const variable = variableOf.get(name);
  const [declaration] = variable && isConstant(variable) ? variable.declarations : [];
  if (declaration?.type !== 'VariableDeclarator' || declaration.init?.type !== 'ObjectExpression') return undefined;
  if (isLoop(declaration, parentOf) || declaration.id.type !== 'ObjectPattern') return undefined;
  const property = declaration.id.properties.find(
    (one) => one.type === 'Property' && one.value.type === 'Identifier' && variableOf.get(one.value) === variable,
  );
  const key = property?.type === 'Property' ? getPropertyName(property) : undefined;
  return key === undefined ? undefined : { object: declaration.init, key };
}
