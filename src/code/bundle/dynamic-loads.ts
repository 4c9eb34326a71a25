/**
 * Replaces `require` and `import()` of paths that are computed at run time. esbuild would search the disk for files that
 * match a known prefix, so these calls become calls of a function that loads the allowed files.
 */
import { dirname, join } from 'node:path';
import { type AnyNode, type Expression, Parser } from 'acorn';
import { attempt } from '../../errors.ts';
import { createPositionLookup } from '../../text/source-position.ts';
import { createWildcardMatcher } from '../../text/wildcard.ts';
import type { FileAccess } from './file-access.ts';
import { chooseLoader } from './file-kind.ts';
import type { Input } from './input.ts';
import { MAX_MATCHES, MAX_VISITED } from './limits.ts';
import { BundleError, type BundleProblem } from './messages.ts';

interface DynamicLoad {
  isRequire: boolean;
  /** The shapes of the paths: `./locales/*.json`. */
  patterns: string[];
  /** The import attributes, as in the source. */
  attributes: string;
}

/** `offsets`: those of `require` and `import`. Throws BundleError for a load that matches too many files. */
export function expandLoads(text: string, offsets: readonly number[], input: Input, fileAccess: FileAccess) {
  const locate = createPositionLookup(text, 'code');
  const problems: BundleProblem[] = [];
  let [replaced, added] = [text, ''];
  for (const at of new Set(offsets)) {
    const load = parseLoad(text, at);
    const isRelative = load.patterns.map((pattern) => /^\.\.?\//.test(pattern));
    const files = load.patterns
      .filter((_, i) => isRelative[i])
      .flatMap((one) => findMatches(one, load, input, fileAccess));
    const found = isRelative.includes(false) || isRelative.length === 0 ? undefined : files.length;
    const level = input.isPackageFile ? 'note' : 'warning';
    problems.push({ file: input.file, ...locate(at), level, message: formatLoad(load, found) });
    // esbuild may understand a call that was not understood here.
    if (load.patterns.length > 0 && !isRelative.includes(true)) continue;
    const keyword = load.isRequire ? 'require' : 'import';
    const name = createUnusedName(text + added, keyword.length);
    // A name of the same length keeps all positions.
    replaced = replaced.slice(0, at) + name + replaced.slice(at + keyword.length);
    added += generateLoader(name, load, files);
  }
  return { text: added === '' ? text : `${replaced}\n${added}`, problems };
}

/** Parses the call at an offset; the code after it may be TypeScript. */
function parseLoad(text: string, at: number): DynamicLoad {
  const isRequire = text.startsWith('require', at);
  const call = parseCall(text, at);
  const [path, options] = call?.type === 'ImportExpression' ? [call.source, call.options] : getArguments(call);
  const patterns = path && path.type !== 'SpreadElement' ? listBranches(path).map(toPattern) : [];
  return {
    isRequire,
    patterns,
    attributes: options && !isRequire ? `, ${text.slice(options.start, options.end)}` : '',
  };
}

const getArguments = (call: AnyNode | undefined) => (call?.type === 'CallExpression' ? call.arguments : []);

function parseCall(text: string, at: number): AnyNode | undefined {
  const isLoad = (node: AnyNode) =>
    node.type === 'ImportExpression' || (node.type === 'CallExpression' && node.callee.type === 'Identifier');
  const options = { ecmaVersion: 16, sourceType: 'module', allowAwaitOutsideFunction: true } as const;
  let node = attempt<AnyNode>(() => Parser.parseExpressionAt(text, at, options));
  // The call may be the first part of a longer expression.
  while (node && !isLoad(node))
    node = Object.values(node)
      .flat()
      .find((child) => child?.type && child.start === at);
  return node;
}

const listBranches = (node: Expression): Expression[] =>
  node.type === 'ConditionalExpression' ? [...listBranches(node.consequent), ...listBranches(node.alternate)] : [node];

/** The known strings of an expression, with `*` for the unknown parts. */
function toPattern(node: Expression): string {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node.type === 'BinaryExpression' && node.operator === '+' && node.left.type !== 'PrivateIdentifier')
    return (toPattern(node.left) + toPattern(node.right)).replace(/\*+/g, '*');
  if (node.type !== 'TemplateLiteral') return '*';
  const parts = node.quasis.map(({ value }, i) => {
    const next = node.expressions[i];
    return (value.cooked ?? '*') + (next ? toPattern(next) : '');
  });
  return parts.join('').replace(/\*+/g, '*');
}

/** `count`: how many files match; undefined if the path is unknown. */
function formatLoad({ isRequire, patterns }: DynamicLoad, count: number | undefined): string {
  const call = isRequire ? 'require' : 'import()';
  return count === undefined
    ? `cannot tell what this ${call} loads: its path is only known when the code runs`
    : `this ${call} may load ${patterns.join(', ')}: the bundle contains ${count} matching ${count === 1 ? 'file' : 'files'}`;
}

/** A name of this length that the text does not contain. */
function createUnusedName(text: string, length: number): string {
  for (let i = 0; ; i++) {
    const name = `load${i.toString(36).padStart(length - 4, '$')}`;
    if (!text.includes(name)) return name;
  }
}

function generateLoader(name: string, { isRequire, attributes }: DynamicLoad, files: readonly string[]): string {
  const load = (path: string) => (isRequire ? `require(${path})` : `import(${path}${attributes})`);
  const paths = [...new Set(files)].map((path) => JSON.stringify(path));
  const cases = paths.map((path) => `case ${path}: return ${load(path)};`);
  const error = `new Error("Cannot find module '" + path + "' in the bundle")`;
  const end = isRequire ? `throw ${error};` : `return Promise.reject(${error});`;
  return `function ${name}(path) { switch (path) { ${cases.join(' ')} } ${end} }\n`;
}

/** The files that a relative pattern means, as the import writes them. */
function findMatches(pattern: string, { attributes }: DynamicLoad, input: Input, fileAccess: FileAccess): string[] {
  const type = /\btype\b['"]?\s*:\s*['"](\w+)/.exec(attributes)?.[1];
  const matches = createWildcardMatcher(pattern);
  const found: string[] = [];
  for (const { path, name } of walkFiles(pattern, input, fileAccess)) {
    if (chooseLoader(path, type) !== undefined && !/\.d\.[cm]?ts$/.test(path) && matches(name)) found.push(name);
    if (found.length > MAX_MATCHES)
      throw new BundleError(`cannot bundle ${pattern}: it must match at most ${MAX_MATCHES} files`);
  }
  return found.sort();
}

/** The files that may match. `name` is the path as the import writes it. */
function* walkFiles(pattern: string, input: Input, fileAccess: FileAccess) {
  const name = /^[^*]*\//.exec(pattern)?.[0] ?? '';
  const start = join(dirname(input.path), name);
  const worklist = [{ path: fileAccess.realPath(start) ?? start, name }];
  let visited = 0;
  for (let folder = worklist.pop(); folder; folder = worklist.pop()) {
    const entries = fileAccess.list(folder.path);
    visited += entries.length;
    if (visited > MAX_VISITED)
      throw new BundleError(
        `cannot bundle ${pattern}: more than ${MAX_VISITED} files and folders would have to be searched`,
      );
    for (const entry of entries.filter(({ name }) => !isExcluded(folder.path, name, fileAccess))) {
      const found = { path: join(folder.path, entry.name), name: folder.name + entry.name };
      if (!entry.isFolder) yield found;
      // Only after a slash, an unknown part may contain slashes.
      else if (pattern.includes('/*')) worklist.push({ ...found, name: `${found.name}/` });
    }
  }
}

/** Names in a folder that a partly unknown path never means. */
const isExcluded = (parent: string, name: string, { folder }: FileAccess) =>
  name.startsWith('.') || name === 'node_modules' || (parent === folder && ['tests', 'manifest.json'].includes(name));
