/**
 * Parses `require` and `import()` of paths that are computed at run time. esbuild would search the disk for files that match
 * a known prefix, so these calls are replaced by calls of a function that loads the allowed files.
 */
import { type AnyNode, type CallExpression, type Expression, type ImportExpression, Parser } from 'acorn';
import { type Glob, mayStartRelative, toGlob } from './glob.ts';

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
