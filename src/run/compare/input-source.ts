/** Collects what the inputs of a comparison are generated from. */
import { findInputHints, type InputHints } from '../../code/input-hints.ts';
import type { RequestParameter } from '../../model.ts';
import type { Executable } from '../executable.ts';
import type { ArgType, CallInput, InputSource } from './generate-input.ts';

/** Inputs fit the manifest of the new version; those of its tests are examples. */
export async function createInputSource(
  older: Executable,
  newer: Executable,
  examples: readonly CallInput[],
): Promise<InputSource> {
  const before = await findInputHints(older.code);
  const after = await findInputHints(newer.code);
  const { request_parameters: parameters, configuration: settings } = newer.declarations;
  return {
    parameters,
    settings,
    undeclared: findUndeclared([...before.reads, ...after.reads], parameters),
    hints: {
      strings: preferChanged(before.strings, after.strings),
      numbers: preferChanged(before.numbers, after.numbers),
      patterns: preferChanged(before.patterns, after.patterns),
    },
    examples,
  };
}

/** The constants of both versions; half of the list are those that only one of them has, if there are any. */
function preferChanged<T>(before: readonly T[], after: readonly T[]): T[] {
  const all = [...new Set([...before, ...after])];
  const changed = all.filter((value) => !before.includes(value) || !after.includes(value));
  return changed.length === 0 ? all : [...all, ...all.map((_, i) => changed[i % changed.length] as T)];
}

/** The args without a declaration; those with methods are strings or arrays. */
export function findUndeclared(
  reads: InputHints['reads'],
  parameters: readonly Pick<RequestParameter, 'name'>[],
): InputSource['undeclared'] {
  const types = new Map<string, ArgType>();
  for (const [top, ...path] of reads) {
    const key = path.at(-1) ?? '';
    const isMember = key in Array.prototype || key in String.prototype || key in Number.prototype;
    const owner = (isMember ? path.slice(0, -1) : path).join('.');
    if (top === 'args' && owner !== '')
      types.set(owner, types.get(owner) ?? (isMember ? findOwnerType(key) : undefined));
  }
  const isDeclared = (path: string) =>
    parameters.some(({ name }) => `${path}.`.startsWith(`${name}.`) || name.startsWith(`${path}.`));
  // `args.card` is generated with `args.card.number`.
  const isParent = (path: string) => [...types.keys()].some((other) => other.startsWith(`${path}.`));
  return [...types]
    .filter(([path]) => !isDeclared(path) && !isParent(path))
    .map(([path, type]) => ({ path: path.split('.'), type }));
}

function findOwnerType(method: string): ArgType {
  if (method in Array.prototype && method in String.prototype) return undefined;
  return method in Array.prototype ? 'array' : method in String.prototype ? 'string' : undefined;
}
