/** Scopes: declaring variables, and looking up names. */
import type { AnyNode, Expression, Identifier, Pattern } from 'acorn';
import { countSteps } from '../ast/steps.ts';

export interface Variable {
  /** The declarators, functions, classes and catch clauses that declare it; none for the `arguments` of a function. */
  declarations: AnyNode[];
  /** The identifiers that read its value, in source order. */
  reads: AnyNode[];
  /** The identifiers that assign it other than in a declaration. */
  writes: AnyNode[];
  /** The offset of its first declaration. */
  declaredAt: number;
}

export interface Scope {
  parent: Scope | undefined;
  end: number;
  variables: Map<string, Variable>;
  /** Whether `var` declarations in it, or in its blocks, belong to it. */
  isVarScope: boolean;
  hasArguments: boolean;
  /** For a function, the offset of its body: parameters do not see the declarations of the body. */
  bodyStart: number;
}

/** Creates a scope; the outermost one is that of the function that Node.js wraps a script in. */
export const createScope = (upper: Scope | undefined, end: number, facts: Partial<Scope> = {}): Scope => ({
  parent: upper,
  end,
  variables: new Map(),
  isVarScope: false,
  hasArguments: false,
  bodyStart: 0,
  ...facts,
});

const createVariable = (declaredAt: number): Variable => ({ declarations: [], reads: [], writes: [], declaredAt });

/** Declares a name in a scope, or adds a declaration to it. */
export function declareVariable({ variables }: Scope, { name, start }: Identifier, by: AnyNode): Variable {
  const variable = variables.get(name) ?? createVariable(start);
  variable.declarations.push(by);
  variables.set(name, variable);
  return variable;
}

/**
 * In sloppy code, a function in a block is also a variable of the function around the block, which has it once the block
 * has run.
 */
export function declareOutsideBlock(name: Identifier, by: AnyNode, block: Scope): void {
  const scope = findVarScope(block);
  if (scope === block || scope.variables.has(name.name)) return;
  declareVariable(scope, name, by).writes.push(name);
}

/** The scope of a `var` declaration in a scope. */
export function findVarScope(scope: Scope): Scope {
  let at = scope;
  while (!at.isVarScope && at.parent) {
    countSteps();
    at = at.parent;
  }
  return at;
}

/** Resolves an identifier after all declarations are known; undefined if the script does not declare it. */
export function resolveVariable({ name, start }: Identifier, scope: Scope): Variable | undefined {
  for (let at: Scope | undefined = scope; at; at = at.parent) {
    countSteps();
    const variable =
      at.variables.get(name) ?? (name === 'arguments' && at.hasArguments ? declareArguments(at) : undefined);
    if (variable && (start >= at.bodyStart || variable.declaredAt < at.bodyStart)) return variable;
  }
  return undefined;
}

function declareArguments({ variables }: Scope): Variable {
  const variable = createVariable(Number.POSITIVE_INFINITY);
  variables.set('arguments', variable);
  return variable;
}

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
