/** The variables of a script by scope: which declaration an identifier means, and which names the script does not declare. */
import type { AnyNode, Identifier, Program } from 'acorn';
import { analyze, type Reference, type ScopeManager, type Variable } from 'eslint-scope';
import type { Tree } from './walk.ts';

export type { Variable };

export interface Scopes extends Tree {
  /** The variable that an identifier means, where the script declares it. */
  variableOf: ReadonlyMap<AnyNode, Variable>;
  /** The identifiers that mean globals, or what Node.js gives to every file. */
  free: readonly { node: Identifier; isWrite: boolean }[];
}

/** undefined where names cannot be told by the text (`eval`, `with`), and of code too deep for it. */
export function scopesOf(program: Program, tree: Tree): Scopes | undefined {
  const manager = analysed(program);
  if (!manager || manager.scopes.some(({ type, dynamic }) => type === 'with' || (dynamic && type !== 'global')))
    return undefined;
  const variableOf = new Map<AnyNode, Variable>();
  for (const { variables, references } of manager.scopes) {
    for (const variable of variables) for (const node of variable.identifiers) variableOf.set(asNode(node), variable);
    for (const { identifier, resolved } of references) if (resolved) variableOf.set(asNode(identifier), resolved);
  }
  const free = manager.globalScope?.through.map((reference) => ({
    node: asNode(reference.identifier) as Identifier,
    isWrite: reference.isWrite(),
  }));
  return { ...tree, variableOf, free: free ?? [] };
}

function analysed(program: Program): ScopeManager | undefined {
  giveRanges(program);
  try {
    return analyze(program as Parameters<typeof analyze>[0], { ecmaVersion: 2022, sourceType: 'commonjs' });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The analysis compares the ranges of a few nodes; to have the parser make them for all takes longer than the analysis. */
function giveRanges(program: Program): void {
  const prototype: unknown = Object.getPrototypeOf(program);
  if (typeof prototype !== 'object' || prototype === null || 'range' in prototype) return;
  Object.defineProperty(prototype, 'range', {
    get(this: AnyNode) {
      return [this.start, this.end];
    },
  });
}

/** The trees are acorn's, whatever the types of the analysis call them. */
const asNode = (node: Reference['identifier']) => node as unknown as AnyNode;

/** True for a variable that has one declaration and only the value that it got there. */
export const isStable = ({ defs, references }: Variable): boolean =>
  defs.length === 1 && references.every((reference) => !reference.isWrite() || reference.init === true);

/** The nodes where the value of a variable is read. */
export const readsOf = ({ references }: Variable): AnyNode[] =>
  references.filter((reference) => reference.isRead()).map(({ identifier }) => asNode(identifier));
