/** One scope of a script: the variables that are declared in it, and how a name is looked up from it. */
import type { AnyNode, Identifier } from 'acorn';
import { countSteps } from '../ast/steps.ts';

export interface Variable {
  /** The declarators, functions, classes and catch clauses that declare it; none for the `arguments` of a function. */
  declaredBy: AnyNode[];
  /** The places where its value is read, in order of the source. */
  reads: AnyNode[];
  /** True where it gets a value elsewhere than in a declaration. */
  isChanged: boolean;
  /** The offset of the first name that declares it. */
  at: number;
}

export interface Scope {
  upper: Scope | undefined;
  end: number;
  names: Map<string, Variable>;
  /** True where a `var` belongs that stands in it, or in a block of it. */
  holdsVars: boolean;
  hasArguments: boolean;
  /** Of a function the offset of its body: what stands before it does not see what the body declares. */
  bodyAt: number;
}

/** A scope inside another; the outermost of a script is that of the function that Node.js wraps it in. */
export const scopeIn = (upper: Scope | undefined, end: number, facts: Partial<Scope> = {}): Scope => ({
  upper,
  end,
  names: new Map(),
  holdsVars: false,
  hasArguments: false,
  bodyAt: 0,
  ...facts,
});

/** Declares a name in a scope, once more where it is known there. */
export function declareIn({ names }: Scope, { name, start }: Identifier, by: AnyNode): Variable {
  const variable = names.get(name) ?? { declaredBy: [], reads: [], isChanged: false, at: start };
  variable.declaredBy.push(by);
  names.set(name, variable);
  return variable;
}

/** The scope that a `var` is declared in which stands here. */
export function varScope(scope: Scope): Scope {
  let at = scope;
  while (!at.holdsVars && at.upper) {
    countSteps();
    at = at.upper;
  }
  return at;
}

/** What an identifier means that stands in a scope whose names are all declared; undefined for nothing of the script. */
export function lookUp({ name, start }: Identifier, scope: Scope): Variable | undefined {
  for (let at: Scope | undefined = scope; at; at = at.upper) {
    countSteps();
    const variable = at.names.get(name) ?? (name === 'arguments' && at.hasArguments ? argumentsOf(at) : undefined);
    if (variable && (start >= at.bodyAt || variable.at < at.bodyAt)) return variable;
  }
  return undefined;
}

function argumentsOf({ names }: Scope): Variable {
  const variable: Variable = { declaredBy: [], reads: [], isChanged: false, at: Number.POSITIVE_INFINITY };
  names.set('arguments', variable);
  return variable;
}
