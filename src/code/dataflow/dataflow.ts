/** A part of the request on its way through the code: where it is looked at, handed on, or put into variables. */
import type { AnyNode } from 'acorn';
import { propertyName } from '../ast/member-names.ts';
import { isStable, type Scopes, type Variable } from '../scope/scope-analysis.ts';

/** The keys that lead from the request to a part of it: `['args', 'card', 'number']`. */
export type RequestPath = readonly string[];

export interface Read {
  path: RequestPath;
  /** True where the part is handed on, so that anything below it may be read. */
  isWhole: boolean;
  /** False where the value may also come from elsewhere. */
  isCertain: boolean;
  /** The offset of its place. */
  at: number;
}

/** A part of the request, at the place in the code that gives it. */
export interface Trail {
  node: AnyNode;
  path: RequestPath;
  isCertain: boolean;
}

export interface Flow {
  scopes: Scopes;
  reads: Read[];
  writes: RequestPath[];
  /** What is still to be followed. */
  open: Trail[];
  /** The parts that each variable is known to hold. */
  held: Map<Variable, RequestPath[]>;
}

/** Deeper, and with more parts in one variable, a part counts as handed on. */
export const MAX_DEPTH = 16;
const MAX_HELD = 8;

function record({ node, path, isCertain }: Trail, isWhole: boolean, flow: Flow): undefined {
  flow.reads.push({ path, isWhole, isCertain, at: node.start });
}

/** The part is looked at, and nothing below it. */
export const look = (trail: Trail, flow: Flow) => record(trail, false, flow);

/** Whoever gets the part may read anything below it. */
export const handOn = (trail: Trail, flow: Flow) => record(trail, true, flow);

/** Puts a part of the request into a variable, or takes it apart. */
export function bind(pattern: AnyNode, trail: Trail, flow: Flow): undefined {
  switch (pattern.type) {
    case 'Identifier':
      return hold(pattern, trail, flow);
    case 'AssignmentPattern':
      return bind(pattern.left, trail, flow);
    case 'ObjectPattern':
      for (const property of pattern.properties) {
        const name = property.type === 'Property' ? propertyName(property, flow.scopes) : undefined;
        if (property.type !== 'Property' || name === undefined || trail.path.length >= MAX_DEPTH) {
          handOn({ ...trail, node: property }, flow);
        } else {
          const inner = { ...trail, node: property.key, path: [...trail.path, name] };
          look(inner, flow);
          bind(property.value, inner, flow);
        }
      }
      return undefined;
    default:
      return handOn({ ...trail, node: pattern }, flow);
  }
}

/** From here on, every use of the variable is a use of this part. */
function hold(name: AnyNode, trail: Trail, flow: Flow): undefined {
  const variable = flow.scopes.variableOf.get(name);
  const held = variable && (flow.held.get(variable) ?? []);
  if (!variable || !held) return handOn({ ...trail, node: name }, flow);
  look(trail, flow);
  if (held.some((path) => path.join('\0') === trail.path.join('\0'))) return undefined;
  // `node = node.next` would never end.
  const isCircle = held.some((path) => path.every((key, i) => trail.path[i] === key));
  if (isCircle || held.length >= MAX_HELD) return handOn({ ...trail, node: name }, flow);
  flow.held.set(variable, [...held, trail.path]);
  const isCertain = trail.isCertain && isStable(variable);
  for (const node of variable.reads) flow.open.push({ node, path: trail.path, isCertain });
  return undefined;
}
