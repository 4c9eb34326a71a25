/** Finds syntax that only modules have, in code that is not a script. */
import type { AnyNode, Position, Program } from 'acorn';
import { walk } from '../ast/walk.ts';

export interface ModuleSyntax {
  keyword: 'import' | 'export' | 'import.meta' | 'await';
  position: Position;
}

/**
 * The first one in source order, if any. Only the last `await` before the syntax error of the script counts, because earlier
 * ones may be calls: `await (x)`.
 */
export function findModuleSyntax(program: Program, failure: Position): ModuleSyntax | undefined {
  const outside = walk(program, ({ type }) => /Function/.test(type)).filter(isAwait);
  const failing = outside.filter(({ loc }) => loc && isBefore(loc.start, failure)).at(-1) ?? outside[0];
  const [first] = [...(failing ? [failing] : []), ...walk(program).filter(isModuleOnly)].sort(
    (a, b) => a.start - b.start,
  );
  return first?.loc ? { keyword: getKeyword(first), position: first.loc.start } : undefined;
}

const isBefore = (a: Position, b: Position) => a.line < b.line || (a.line === b.line && a.column < b.column);

const isAwait = (node: AnyNode) => node.type === 'AwaitExpression' || (node.type === 'ForOfStatement' && node.await);

const isModuleOnly = (node: AnyNode) =>
  /^(Import|Export)\w*Declaration$/.test(node.type) || (node.type === 'MetaProperty' && node.meta.name === 'import');

function getKeyword({ type }: AnyNode): ModuleSyntax['keyword'] {
  if (type === 'MetaProperty') return 'import.meta';
  if (type.startsWith('Import')) return 'import';
  return type.startsWith('Export') ? 'export' : 'await';
}
