/** The modules of a bundled script, by the comments that esbuild writes before each. */
import type { AnyNode } from 'acorn';
import { appendTo } from '../../text/group-by.ts';
import { findLastStart } from '../../text/source-position.ts';
import { countSteps } from '../ast/steps.ts';
import type { SyntaxTree } from '../ast/walk.ts';
import type { Scopes } from '../scope/scope-analysis.ts';
import { parsePackageName } from './package-name.ts';

/** A module, or a complete script that is not a bundle. */
export interface BundledModule {
  /** The path in the comment; empty for a complete script. */
  name: string;
  /** The package of the module; undefined for the formula's own files. */
  packageName: string | undefined;
}

const WHOLE_SCRIPT: BundledModule = { name: '', packageName: undefined };
const MARKER = /^\/\/ (\S[^\n]*)$/gm;
/** The end of a bundle of this tool, or packages in any other bundle; only then comments are module names. */
const BUNDLE = /^\/\/ formula\nmodule\.exports = |^\/\/ (?=\S*node_modules\/\S)\S+$/m;

export const isBundle = (text: string): boolean => BUNDLE.test(text);

/** The start of each module; a line of a string may look like a comment. */
export const findModules = (text: string): { index: number; module: BundledModule }[] =>
  [...text.matchAll(MARKER)].map(({ index, 1: name = '' }) => ({
    index,
    module: { name, packageName: parsePackageName(name) },
  }));

/** Creates a function that returns the module of an offset. */
export function createModuleLookup(text: string, { nodesOfType }: SyntaxTree): (offset: number) => BundledModule {
  if (!isBundle(text)) return () => WHOLE_SCRIPT;
  const templates = nodesOfType('TemplateElement');
  const isInTemplate = (offset: number) => {
    countSteps(templates.length);
    return templates.some(({ start, end }) => start <= offset && offset < end);
  };
  const modules = findModules(text).filter(({ index }) => !isInTemplate(index));
  const starts = modules.map(({ index }) => index);
  return (offset: number): BundledModule => modules[findLastStart(starts, offset)]?.module ?? WHOLE_SCRIPT;
}

/** Splits a script into files of the formula, and packages. */
export function splitScopesByModule(scopes: Scopes, moduleAt: (offset: number) => BundledModule) {
  const parts = new Map<
    string,
    { module: BundledModule; nodes: Map<string, AnyNode[]>; free: Scopes['free'][number][] }
  >();
  const partAt = (offset: number) => {
    const module = moduleAt(offset);
    const key = module.packageName ?? `./${module.name}`;
    const part = parts.get(key) ?? { module, nodes: new Map<string, AnyNode[]>(), free: [] };
    parts.set(key, part);
    return part;
  };
  for (const node of scopes.nodes) appendTo(partAt(node.start).nodes, node.type, node);
  for (const use of scopes.free) partAt(use.node.start).free.push(use);
  return [...parts.values()].map(({ module, nodes, free }) => ({
    module,
    scopes: { ...scopes, free, nodesOfType: (type: string) => (nodes.get(type) ?? []) as never[] },
  }));
}
