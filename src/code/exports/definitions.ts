/** Finds the definitions of names. */
import type { AnyNode } from 'acorn';
import { countSteps } from '../ast/steps.ts';
import { isConstant, type Scopes } from '../scope/scope-analysis.ts';

/** The one value of a variable; its declarator if it never gets a value, undefined if the value is unknown. */
export function findDefinition(name: AnyNode | undefined, { variableOf, parentOf }: Scopes): AnyNode | undefined {
  const variable = name && variableOf.get(name);
  const [declaration] = variable && isConstant(variable) ? variable.declarations : [];
  switch (declaration?.type) {
    case 'VariableDeclarator': {
      const statement = parentOf.get(declaration);
      const isLoop = /^For(In|Of)/.test((statement && parentOf.get(statement)?.type) ?? '');
      return declaration.id.type === 'Identifier' && !isLoop ? (declaration.init ?? declaration) : undefined;
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

/** In sloppy mode, a function in a block is also a variable outside of it, and an assignment creates a global. */
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
