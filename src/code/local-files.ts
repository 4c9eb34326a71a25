/** Finds files next to the code that it loads or reads; only the code is sent to the service. */
import type { AnyNode, CallExpression, ImportExpression } from 'acorn';
import { getCalleeName, getLiteralText, getMemberName, getPropertyName } from './ast/member-names.ts';
import { countSteps } from './ast/steps.ts';
import { type FunctionNode, isFunction, listAncestors } from './ast/walk.ts';
import { META_URL_NAME } from './bundle/prepare-code.ts';
import { findDefinition, isGlobal, type Scopes } from './scope/scope-analysis.ts';

export interface LocalFile {
  /** `load`: required or imported by a literal path. `path`: by one made from __dirname. `read`: read as a file. */
  kind: 'load' | 'path' | 'read';
  /** As written in the code; for a load, its path. */
  what: string;
  /** Whether it is certainly used: when the code is loaded, or in each call of the exported function. */
  isCertain: boolean;
  /** Its offset. */
  at: number;
}

/** All uses, in source order, except loads of modules that the code itself may define, as bundles do. */
export function findLocalFiles(scopes: Scopes, handler: FunctionNode | undefined): LocalFile[] {
  const calls = scopes.nodesOfType('CallExpression');
  const found = [
    ...calls.flatMap((node) => findCallUse(node, scopes)),
    ...scopes.nodesOfType('ImportExpression').flatMap((node) => findLoadUse(node, node.source, scopes)),
  ];
  if (found.length === 0) return [];
  const definedModules = findDefinedNames(scopes);
  return found
    .filter(({ kind, what, node }) => !(kind === 'load' && definedModules.has(what)) && !isMainOnly(node, scopes))
    .sort((a, b) => a.node.start - b.node.start)
    .map(({ kind, what, node }) => ({
      kind,
      what,
      isCertain:
        (kind === 'load' && isUnconditional(node, scopes, handler)) ||
        (kind === 'read' && isReadAtLoad(node as CallExpression, what, scopes)),
      at: node.start,
    }));
}

/** Whether a file next to a module, found by `import.meta.url`, is read when the module is loaded. */
const isReadAtLoad = (node: CallExpression, method: string, scopes: Scopes): boolean =>
  method.endsWith('Sync') &&
  node.arguments.slice(0, 1).some((path) => isMadeFrom([META_URL_NAME], path, scopes)) &&
  isUnconditional(node, scopes, undefined);

type LocalFileUse = Pick<LocalFile, 'kind' | 'what'> & { node: CallExpression | ImportExpression };

function findCallUse(node: CallExpression, scopes: Scopes): LocalFileUse[] {
  const [first] = node.arguments;
  if (!first) return [];
  if (isRequire(node.callee, scopes)) return findLoadUse(node, first, scopes);
  const name = getCalleeName(node.callee);
  const isRead = name !== undefined && READ_METHODS.test(name) && isMadeFrom(CODE_PATHS, first, scopes);
  return isRead ? [{ kind: 'read', what: name, node }] : [];
}

const READ_METHODS = /^(readFile|readFileSync|createReadStream|open|openSync|readdir|readdirSync|opendir|opendirSync)$/;

function findLoadUse(node: LocalFileUse['node'], source: AnyNode, scopes: Scopes): LocalFileUse[] {
  const path = getLiteralText(source);
  if (path !== undefined) return isLocalPath(path) ? [{ kind: 'load', what: path, node }] : [];
  return isMadeFrom(CODE_PATHS, source, scopes) ? [{ kind: 'path', what: '__dirname', node }] : [];
}

/** The global `require`, and `require.resolve`. */
function isRequire(callee: AnyNode, scopes: Scopes): boolean {
  if (callee.type === 'MemberExpression')
    return getMemberName(callee) === 'resolve' && isRequire(callee.object, scopes);
  return isGlobal(callee, 'require', scopes);
}

/** A relative or absolute path, including Windows paths. */
const isLocalPath = (path: string) => /^(\.{1,2}([/\\]|$)|[/\\]|[a-z]:[/\\]|file:)/i.test(path);

const MAX_STEPS = 5;

/** Names for the folder or the file of the code. */
const CODE_PATHS = ['__dirname', '__filename', META_URL_NAME];

/** Whether an expression is a path made from the value of one of these names. */
function isMadeFrom(names: readonly string[], node: AnyNode, scopes: Scopes, steps = 0): boolean {
  countSteps();
  if (steps > MAX_STEPS) return false;
  const isWithin = (part: AnyNode) => isMadeFrom(names, part, scopes, steps + 1);
  switch (node.type) {
    case 'Identifier': {
      const variable = scopes.variableOf.get(node);
      if (!variable || node.name === META_URL_NAME) return names.includes(node.name);
      const value = findDefinition(node, scopes);
      return value !== undefined && isWithin(value);
    }
    case 'TemplateLiteral':
      return node.expressions.some(isWithin);
    case 'BinaryExpression':
      return node.operator === '+' && (isWithin(node.left) || isWithin(node.right));
    case 'CallExpression':
    case 'NewExpression':
      return node.arguments.some(isWithin);
    // `new URL('./x', import.meta.url).pathname`
    case 'MemberExpression':
      return node.object.type === 'NewExpression' && isWithin(node.object);
    default:
      return false;
  }
}

/** Property names that may be modules defined in the code itself. */
function findDefinedNames(scopes: Scopes): Set<string> {
  const keys = [...scopes.nodesOfType('Property'), ...scopes.nodesOfType('MethodDefinition')].map((node) =>
    getPropertyName(node),
  );
  const members = scopes
    .nodesOfType('AssignmentExpression')
    .map(({ left }) => (left.type === 'MemberExpression' ? getMemberName(left) : undefined));
  return new Set([...keys, ...members].filter((name) => name !== undefined));
}

/** Whether a node runs only if the code is the main program: `require.main === module`. */
const isMainOnly = (node: AnyNode, scopes: Scopes): boolean =>
  [...listAncestors(node, scopes)].some(
    ({ parent, child }) =>
      (parent.type === 'IfStatement' && parent.consequent === child && isMainTest(parent.test)) ||
      (parent.type === 'LogicalExpression' && parent.right === child && isMainTest(parent.left)),
  );

function isMainTest(test: AnyNode): boolean {
  if (test.type === 'LogicalExpression' && test.operator === '&&')
    return isMainTest(test.left) || isMainTest(test.right);
  return test.type === 'BinaryExpression' && /^={2,3}$/.test(test.operator) && [test.left, test.right].some(isMain);
}

const isMain = (node: AnyNode) => node.type === 'MemberExpression' && getMemberName(node) === 'main';

/** Whether a node certainly runs when the code is loaded, or in each call of the exported function. */
function isUnconditional(node: AnyNode, scopes: Scopes, handler: FunctionNode | undefined): boolean {
  for (const { parent, child } of listAncestors(node, scopes)) {
    if (CONDITIONS.test(parent.type) && !isAlwaysEvaluated(parent, child)) return false;
    if (hasExitBefore(parent, child)) return false;
    if (isFunction(parent)) return parent === handler && child === parent.body;
  }
  return true;
}

const CONDITIONS =
  /^(If|Switch|For\w*|While|Try|Labeled)Statement$|^SwitchCase$|^CatchClause$|^(Conditional|Logical)Expression$|^ChainExpression$|^StaticBlock$|^PropertyDefinition$|^AssignmentPattern$/;

/** Whether a part of a condition is always evaluated. */
function isAlwaysEvaluated(parent: AnyNode, node: AnyNode): boolean {
  if (parent.type === 'IfStatement' || parent.type === 'ConditionalExpression') return parent.test === node;
  return parent.type === 'LogicalExpression' && parent.left === node;
}

/** Whether an earlier statement of the same block may end the function. */
function hasExitBefore(parent: AnyNode, node: AnyNode): boolean {
  if (parent.type !== 'BlockStatement' && parent.type !== 'Program') return false;
  const before = parent.body.slice(0, parent.body.indexOf(node as never));
  countSteps(before.length);
  return before.some(({ type }) => MAY_EXIT.test(type));
}

const MAY_EXIT = /^(If|Switch|For\w*|While|DoWhile|Try|Labeled|Return|Throw|Block)Statement$/;
