/** Data flow of request parts: reads, escapes, and assignments to variables. */
import type { AnyNode } from 'acorn';
import { getPropertyName } from '../ast/member-names.ts';
import { isConstant, type Scopes, type Variable } from '../scope/scope-analysis.ts';

/** The keys that lead from the request to a part of it: `['args', 'card', 'number']`. */
export type RequestPath = readonly string[];

export interface RequestRead {
  path: RequestPath;
  /** Whether the part is passed on, so that anything in it may be read. */
  escapes: boolean;
  /** False if the value may have another source. */
  isCertain: boolean;
  /** Its offset. */
  at: number;
}

/** A part of the request, and the node that has it as its value. */
export interface TrackedValue {
  node: AnyNode;
  path: RequestPath;
  isCertain: boolean;
}

export interface FlowState {
  scopes: Scopes;
  reads: RequestRead[];
  writes: RequestPath[];
  /** Values still to be followed. */
  worklist: TrackedValue[];
  /** The parts assigned to each variable. */
  pathsByVariable: Map<Variable, RequestPath[]>;
}

/** Beyond these limits, a part counts as escaped. */
export const MAX_DEPTH = 16;
const MAX_PATHS_PER_VARIABLE = 8;

function record({ node, path, isCertain }: TrackedValue, escapes: boolean, flow: FlowState): undefined {
  flow.reads.push({ path, escapes, isCertain, at: node.start });
}

/** Records a read of the part itself. */
export const recordRead = (value: TrackedValue, flow: FlowState) => record(value, false, flow);

/** Records that anything in the part may be read. */
export const recordEscape = (value: TrackedValue, flow: FlowState) => record(value, true, flow);

/** Assigns a part of the request to a variable or pattern. */
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

/** Follows all reads of the variable as reads of this part. */
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
