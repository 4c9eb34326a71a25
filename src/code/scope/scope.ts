/** One scope of a script: the variables that are declared in it, and how a name is looked up from it. */
import type { AnyNode, Identifier } from 'acorn';
import { countSteps } from '../ast/steps.ts';

export interface Variable {
  /** The declarators, functions, classes and catch clauses that declare it; none for the `arguments` of a function. */
  declarations: AnyNode[];
  /** The places where its value is read, in order of the source. */
  reads: AnyNode[];
  /** True where it gets a value elsewhere than in a declaration. */
  isReassigned: boolean;
  /** The offset of the first name that declares it. */
  declaredAt: number;
}

export interface Scope {
  parent: Scope | undefined;
  end: number;
  variables: Map<string, Variable>;
  /** True where a `var` belongs that stands in it, or in a block of it. */
  isVarScope: boolean;
  hasArguments: boolean;
  /** Of a function the offset of its body: what stands before it does not see what the body declares. */
  bodyStart: number;
}

/** A scope inside another; the outermost of a script is that of the function that Node.js wraps it in. */
export const createScope = (upper: Scope | undefined, end: number, facts: Partial<Scope> = {}): Scope => ({
  parent: upper,
  end,
  variables: new Map(),
  isVarScope: false,
  hasArguments: false,
  bodyStart: 0,
  ...facts,
});

/** Declares a name in a scope, once more where it is known there. */
export function declareVariable({ variables }: Scope, { name, start }: Identifier, by: AnyNode): Variable {
  const variable = variables.get(name) ?? { declarations: [], reads: [], isReassigned: false, declaredAt: start };
  variable.declarations.push(by);
  variables.set(name, variable);
  return variable;
}

/** The scope that a `var` is declared in which stands here. */
export function findVarScope(scope: Scope): Scope {
  let at = scope;
  while (!at.isVarScope && at.parent) {
    countSteps();
    at = at.parent;
  }
  return at;
}

/** What an identifier means that stands in a scope whose names are all declared; undefined for nothing of the script. */
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
  const variable: Variable = { declarations: [], reads: [], isReassigned: false, declaredAt: Number.POSITIVE_INFINITY };
  variables.set('arguments', variable);
  return variable;
}
