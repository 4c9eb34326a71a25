/** Finds bundles whose default import of a CommonJS module is the complete exports object. */
import type { AnyNode, Identifier, Property } from 'acorn';
import { getMemberName, getPropertyName } from './ast/member-names.ts';
import type { SyntaxTree } from './ast/walk.ts';

/** The offset of `exports.default = …`, if a value is the default import of a CommonJS module that only sets properties. */
export function findDefaultExport(value: AnyNode, tree: SyntaxTree): number | undefined {
  const wrapper = findModuleWrapper(value, tree);
  const body = wrapper?.value.type === 'FunctionExpression' ? wrapper.value : undefined;
  const [exported, ...others] = body?.params ?? [];
  // With a second parameter, the module may set module.exports.
  if (!body || exported?.type !== 'Identifier' || others.length > 0) return undefined;
  const uses = tree
    .nodesOfType('Identifier')
    .filter(
      (node) => node.name === exported.name && node !== exported && node.start > body.start && node.end < body.end,
    );
  const set = uses.map((node) => findAssignedProperty(node, tree));
  const isPlain = set.every((one) => one !== undefined && one.name !== '__esModule');
  return isPlain ? set.find((one) => one?.name === 'default')?.at : undefined;
}

/**
 * The module that `import_code.default` comes from: the property `"code.ts"(exports) { … }` in
 * `import_code = __toESM(require_code())` with `require_code = __commonJS({ "code.ts"(exports) { … } })`.
 */
function findModuleWrapper(value: AnyNode, tree: SyntaxTree): Property | undefined {
  if (value.type !== 'MemberExpression' || getMemberName(value) !== 'default') return undefined;
  const interop = getHelperArgument(findDeclaredValue(value.object, tree), '__toESM');
  const load = interop?.type === 'CallExpression' ? findDeclaredValue(interop.callee, tree) : undefined;
  const modules = getHelperArgument(load, '__commonJS');
  const [wrapper] = modules?.type === 'ObjectExpression' ? modules.properties : [];
  return wrapper?.type === 'Property' && /[/.]/.test(getPropertyName(wrapper) ?? '') ? wrapper : undefined;
}

const findDeclaredValue = (node: AnyNode, { nodesOfType }: SyntaxTree): AnyNode | undefined => {
  const name = node.type === 'Identifier' ? node.name : undefined;
  const found = nodesOfType('VariableDeclarator').filter(({ id }) => id.type === 'Identifier' && id.name === name);
  return found.length === 1 ? (found[0]?.init ?? undefined) : undefined;
};

/** The first argument of a call of a helper of esbuild. */
const getHelperArgument = (node: AnyNode | undefined, name: string): AnyNode | undefined =>
  node?.type === 'CallExpression' && node.callee.type === 'Identifier' && node.callee.name === name
    ? node.arguments[0]
    : undefined;

/** `exports.name = …` */
function findAssignedProperty(node: Identifier, { parentOf }: SyntaxTree): { name: string; at: number } | undefined {
  const member = parentOf.get(node);
  const assignment = member && parentOf.get(member);
  if (member?.type !== 'MemberExpression' || assignment?.type !== 'AssignmentExpression') return undefined;
  const name = assignment.left === member ? getMemberName(member) : undefined;
  return name === undefined ? undefined : { name, at: assignment.start };
}
