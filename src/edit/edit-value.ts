/** Sets or removes the value of a KEY in a manifest. Pure. */
import { isObject } from '../text/json-type.ts';
import type { JsonPath } from '../text/json-with-positions.ts';
import { findSchema } from './manifest-schema.ts';
import { formatKey, type KeyStep, type ParsedKey } from './parse-key.ts';

/** One assignment of the command line. */
export type Assignment = { kind: 'set'; key: ParsedKey; value: unknown } | { kind: 'unset'; key: ParsedKey };

/** The manifest after the assignment; why the KEY does not apply; or why it matches several elements (at `path`). */
export type Assigned = { manifest: unknown } | { skipped: string } | { ambiguous: string; path: JsonPath };

type Json = Record<string, unknown>;

/** Applies an assignment to a copy of a manifest (parsed JSON). */
export function assign(manifest: unknown, assignment: Assignment): Assigned {
  const copy: unknown = JSON.parse(JSON.stringify(manifest));
  const { steps } = assignment.key;
  let parent: unknown = copy;
  for (const [depth, step] of steps.entries()) {
    const found = findStep(parent, step);
    if (found === 'ambiguous') {
      const list = formatKey(steps.slice(0, depth));
      const path = steps.slice(0, depth).map((one) => (one.kind === 'index' ? one.index : stepName(one)));
      return { ambiguous: `${list} has several elements with the name ${JSON.stringify(stepName(step))}`, path };
    }
    const isLast = depth === steps.length - 1;
    if (isLast) return assignTo(copy, parent, step, found, assignment);
    if (found === undefined) return skip(steps.slice(0, depth + 1));
    parent = (parent as Json)[found];
  }
  return skip(steps);
}

const skip = (steps: readonly KeyStep[]) => ({ skipped: `does not have ${formatKey(steps)}` });

const stepName = (step: KeyStep): string => (step.kind === 'key' ? step.key : step.kind === 'name' ? step.name : '');

/** The key or index of a step; undefined if the parent does not have it. */
function findStep(parent: unknown, step: KeyStep): string | number | undefined | 'ambiguous' {
  if (Array.isArray(parent)) return findElement(parent, step);
  if (typeof parent !== 'object' || parent === null || step.kind === 'index') return undefined;
  const key = stepName(step);
  return Object.hasOwn(parent, key) ? key : undefined;
}

function findElement(list: readonly unknown[], step: KeyStep): number | undefined | 'ambiguous' {
  if (step.kind === 'index') return step.index < list.length ? step.index : undefined;
  if (step.kind === 'key') return undefined;
  const found = list.flatMap((element, i) => ((element as Json | null)?.['name'] === step.name ? [i] : []));
  return found.length > 1 ? 'ambiguous' : found[0];
}

function assignTo(
  manifest: unknown,
  parent: unknown,
  step: KeyStep,
  found: string | number | undefined,
  assignment: Assignment,
): Assigned {
  const { steps } = assignment.key;
  if (assignment.kind === 'unset') {
    if (found === undefined) return skip(steps);
    if (Array.isArray(parent)) parent.splice(Number(found), 1);
    else delete (parent as Json)[found];
    return { manifest };
  }
  const isAllowed = step.kind !== 'index' && isObject(parent) && findSchema(steps) !== undefined;
  if (found === undefined && !isAllowed) return skip(steps);
  // An assignment to `__proto__` would change the prototype.
  Object.defineProperty(parent, found ?? stepName(step), {
    value: assignment.value,
    configurable: true,
    enumerable: true,
    writable: true,
  });
  return { manifest };
}
