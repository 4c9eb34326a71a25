/** A part of the request on its way through the code: where it is looked at, handed on, or put into variables. */
import type { AnyNode } from 'acorn';
import { getPropertyName } from '../ast/member-names.ts';
import { isConstant, type Scopes, type Variable } from '../scope/scope-analysis.ts';

/** The keys that lead from the request to a part of it: `['args', 'card', 'number']`. */
export type RequestPath = readonly string[];

export interface RequestRead {
  path: RequestPath;
  /** True where the part is handed on, so that anything below it may be read. */
  escapes: boolean;
  /** False where the value may also come from elsewhere. */
  isCertain: boolean;
  /** The offset of its place. */
  at: number;
}

/** A part of the request, at the place in the code that gives it. */
export interface TrackedValue {
  node: AnyNode;
  path: RequestPath;
  isCertain: boolean;
}

export interface FlowState {
  scopes: Scopes;
  reads: RequestRead[];
  writes: RequestPath[];
  /** What is still to be followed. */
  worklist: TrackedValue[];
  /** The parts that each variable is known to hold. */
  pathsByVariable: Map<Variable, RequestPath[]>;
}

/** Deeper, and with more parts in one variable, a part counts as handed on. */
export const MAX_DEPTH = 16;
const MAX_PATHS_PER_VARIABLE = 8;

function record({ node, path, isCertain }: TrackedValue, escapes: boolean, flow: FlowState): undefined {
  flow.reads.push({ path, escapes, isCertain, at: node.start });
}

/** The part is looked at, and nothing below it. */
export const recordRead = (value: TrackedValue, flow: FlowState) => record(value, false, flow);

/** Whoever gets the part may read anything below it. */
export const recordEscape = (value: TrackedValue, flow: FlowState) => record(value, true, flow);

/** Puts a part of the request into a variable, or takes it apart. */
export function assignToPattern(pattern: AnyNode, value: TrackedValue, flow: FlowState): undefined {
  switch (pattern.type) {
    case 'Identifier':
      return assignToVariable(pattern, value, flow);
    case 'AssignmentPattern':
      return assignToPattern(pattern.left, value, flow);
    case 'ObjectPattern':
      for (const property of pattern.properties) {
        const name = property.type === 'Property' ? getPropertyName(property, flow.scopes) : undefined;
        if (property.type !== 'Property' || name === undefined || value.path.length >= MAX_DEPTH) {
          recordEscape({ ...value, node: property }, flow);
        } else {
          const inner = { ...value, node: property.key, path: [...value.path, name] };
          recordRead(inner, flow);
          assignToPattern(property.value, inner, flow);
        }
      }
      return undefined;
    default:
      return recordEscape({ ...value, node: pattern }, flow);
  }
}

/** From here on, every use of the variable is a use of this part. */
function assignToVariable(name: AnyNode, value: TrackedValue, flow: FlowState): undefined {
  const variable = flow.scopes.variableOf.get(name);
  const paths = variable && (flow.pathsByVariable.get(variable) ?? []);
  if (!variable || !paths) return recordEscape({ ...value, node: name }, flow);
  recordRead(value, flow);
  if (paths.some((path) => path.join('\0') === value.path.join('\0'))) return undefined;
  // `node = node.next` would never end.
  const isCycle = paths.some((path) => path.every((key, i) => value.path[i] === key));
  if (isCycle || paths.length >= MAX_PATHS_PER_VARIABLE) return recordEscape({ ...value, node: name }, flow);
  flow.pathsByVariable.set(variable, [...paths, value.path]);
  const isCertain = value.isCertain && isConstant(variable);
  for (const node of variable.reads) flow.worklist.push({ node, path: value.path, isCertain });
  return undefined;
}
