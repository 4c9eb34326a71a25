/** The shape of a partly known path: `./locales/${name}.json`. */
import type { Expression } from 'acorn';

export interface Glob {
  /** The folder of the first unknown part: relative, with a slash at its end. */
  folder: string;
  /** For messages: `./locales/*.json`. */
  pattern: string;
  /** Whether a path in `folder` has this shape. */
  matches(path: string): boolean;
  /** Whether the unknown part may contain slashes. */
  isDeep: boolean;
}

/** A known string, or null for an unknown part. */
type GlobPart = string | null;

/** The shape of an expression; undefined if it does not start with a relative path. */
export function toGlob(node: Expression): Glob | undefined {
  const parts = mergeParts(splitParts(node));
  const [first = null] = parts;
  if (first === null || !/^\.\.?\//.test(first)) return undefined;
  const folder = first.slice(0, first.lastIndexOf('/') + 1);
  // Only after a slash, an unknown part may contain slashes.
  const isDeep = parts.some((part, i) => part === null && parts[i - 1]?.endsWith('/'));
  return {
    folder,
    isDeep,
    pattern: parts.map((part) => part ?? '*').join(''),
    matches: (path) => matches(parts, path),
  };
}

/** Whether an expression may start with a relative path, although its first string does not show it. */
export function mayStartRelative(node: Expression): boolean {
  const [first] = mergeParts(splitParts(node));
  return typeof first === 'string' && /^\.{0,2}(\/|$)/.test(first);
}

function splitParts(node: Expression): GlobPart[] {
  if (node.type === 'Literal' && typeof node.value === 'string') return [node.value];
  if (node.type === 'TemplateLiteral')
    return node.quasis.flatMap(({ value }, i) => {
      const next = node.expressions[i];
      return [value.cooked ?? null, ...(next ? splitParts(next) : [])];
    });
  if (node.type === 'BinaryExpression' && node.operator === '+' && node.left.type !== 'PrivateIdentifier')
    return [...splitParts(node.left), ...splitParts(node.right)];
  return [null];
}

function mergeParts(parts: readonly GlobPart[]): GlobPart[] {
  const result: GlobPart[] = [];
  for (const part of parts) {
    const last = result.at(-1);
    if (part === '' || (part === null && last === null)) continue;
    if (typeof part === 'string' && typeof last === 'string') result[result.length - 1] = last + part;
    else result.push(part);
  }
  return result;
}

/** Needs no backtracking: each unknown part is as short as possible, and the last known part is at the end. */
function matches(parts: readonly GlobPart[], path: string): boolean {
  let at = 0;
  for (const [i, part] of parts.entries()) {
    if (part === null) continue;
    const found = findPart(path, part, { at, isFirst: i === 0, isLast: i === parts.length - 1 });
    if (found < 0 || (i > 0 && !isAllowed(path.slice(at, found), parts[i - 2]))) return false;
    at = found + part.length;
  }
  return parts.at(-1) === null ? isAllowed(path.slice(at), parts.at(-2)) : at === path.length;
}

function findPart(
  path: string,
  part: string,
  { at, isFirst, isLast }: { at: number; isFirst: boolean; isLast: boolean },
) {
  if (isFirst) return path.startsWith(part) ? 0 : -1;
  return isLast ? findLastPart(path, part, at) : path.indexOf(part, at);
}

const findLastPart = (path: string, part: string, at: number) =>
  path.endsWith(part) && path.length - part.length >= at ? path.length - part.length : -1;

const isAllowed = (unknown: string, before: GlobPart | undefined) =>
  Boolean(before?.endsWith('/')) || !unknown.includes('/');
