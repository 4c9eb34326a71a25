/**
 * Parses `require` and `import()` of paths that are computed at run time. esbuild would search the disk for files that match
 * a known prefix, so these calls are replaced by calls of a function that loads the allowed files.
 */
import { type AnyNode, type CallExpression, type Expression, type ImportExpression, Parser } from 'acorn';

export interface DynamicLoad {
  isRequire: boolean;
  /** The shapes of the paths; undefined if unknown. */
  globs: Glob[] | undefined;
  /** Whether esbuild may know more of the path, such as the value of an enum. */
  isAmbiguous: boolean;
  /** The import attributes, as in the source. */
  attributes: string;
}

/** Parses the call at an offset; the code after it may be TypeScript. */
export function parseDynamicLoad(text: string, at: number): DynamicLoad {
  const isRequire = text.startsWith('require', at);
  const call = parseCall(text, at);
  const [path, options] =
    call?.type === 'ImportExpression' ? [call.source, getImportOptions(call)] : (call?.arguments ?? []);
  if (!path || path.type === 'SpreadElement') return { isRequire, globs: undefined, isAmbiguous: true, attributes: '' };
  const globs = listBranches(path).map(toGlob);
  const isAmbiguous = /\benum\b/.test(text) || listBranches(path).some(mayStartRelative);
  if (globs.includes(undefined)) return { isRequire, globs: undefined, isAmbiguous, attributes: '' };
  const attributes = options && !isRequire ? `, ${text.slice(options.start, options.end)}` : '';
  return { isRequire, globs: globs as Glob[], isAmbiguous: true, attributes };
}

const getImportOptions = (call: ImportExpression) => (call as { options?: Expression | null }).options ?? undefined;

function parseCall(text: string, at: number): CallExpression | ImportExpression | undefined {
  try {
    const options = { ecmaVersion: 16, sourceType: 'module', allowAwaitOutsideFunction: true } as const;
    let node: AnyNode = Parser.parseExpressionAt(text, at, options);
    while (node.start === at && node.type !== 'ImportExpression' && !isRequireCall(node)) {
      const first: AnyNode | undefined = getFirstOperand(node);
      if (!first) return undefined;
      node = first;
    }
    return node.start === at ? (node as CallExpression | ImportExpression) : undefined;
  } catch {
    return undefined;
  }
}

const isRequireCall = (node: AnyNode) => node.type === 'CallExpression' && node.callee.type === 'Identifier';

/** The first part of an expression: the call in `require(x).y + z`. */
function getFirstOperand(node: AnyNode): AnyNode | undefined {
  if (node.type === 'MemberExpression') return node.object;
  if (node.type === 'CallExpression') return node.callee;
  if (node.type === 'BinaryExpression' || node.type === 'LogicalExpression') return node.left;
  if (node.type === 'ConditionalExpression') return node.test;
  if (node.type === 'ChainExpression') return node.expression;
  if (node.type === 'TaggedTemplateExpression') return node.tag;
  return node.type === 'SequenceExpression' ? node.expressions[0] : undefined;
}

function listBranches(node: Expression): Expression[] {
  return node.type === 'ConditionalExpression'
    ? [...listBranches(node.consequent), ...listBranches(node.alternate)]
    : [node];
}

/** The shape of a partly known path: `./locales/${name}.json`. */
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
function toGlob(node: Expression): Glob | undefined {
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
function mayStartRelative(node: Expression): boolean {
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
