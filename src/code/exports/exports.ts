/** What a CommonJS script exports: provably a function, provably none, or it cannot be told. */
import type { AnyNode } from 'acorn';
import type { FunctionNode } from '../ast/function-node.ts';
import type { Tree } from '../ast/walk.ts';
import { objectWithDefault } from '../interop.ts';
import { type Bindings, bindingsOf } from '../scope/bindings.ts';
import { type ExportUses, exportUses } from './export-uses.ts';
import { type Asynchronous, kindOf } from './expression-kind.ts';

/**
 * The three answers; `why` says what is exported instead of a function, and `what` describes its value;
 * `at` is the offset of the place that exports it, and `definedAt` of where the value is written, if that is known.
 */
export type Exported =
  | { answer: 'function'; asynchronous: Asynchronous; at: number; definedAt: number }
  | { answer: 'not-a-function'; why: string; what?: string; fix?: string; at: number; definedAt?: number }
  | { answer: 'unknown' };

/** With the node of the function, where it is one and can be told. */
export interface ExportedValue {
  exported: Exported;
  handler?: FunctionNode | undefined;
}

const UNKNOWN: ExportedValue = { exported: { answer: 'unknown' } };

/** Judges by the text alone; wherever it does not prove a mistake, the answer is function or unknown. */
export function exportedValue(tree: Tree): ExportedValue {
  const uses = exportUses(tree);
  if (!uses) return UNKNOWN;
  const { assignments } = uses;
  if (assignments.length === 0) return { exported: nothingExported(uses) };
  // The last unconditional assignment counts, and any conditional one may come after it.
  const last = assignments.findLastIndex(({ isConditional }) => !isConditional);
  const counting = assignments.filter(({ isConditional }, i) => isConditional || i === last);
  const bindings = bindingsOf(tree.nodes);
  const kinds = counting.map(({ value, end, isConditional }) =>
    // A conditional one may be in a function that is called later.
    kindOf(value, { bindings, at: isConditional ? Number.POSITIVE_INFINITY : end }),
  );
  const onlyDefault = onlyDefaultIn(counting, tree);
  if (onlyDefault) return { exported: onlyDefault };
  // Without an unconditional one the empty object that Node.js gives may stay.
  if (last < 0) kinds.push({ is: 'other', what: 'an object' });
  const [first] = kinds;
  const at = counting[0]?.at ?? 0;
  const definedAt = definitionOf(counting[0]?.value, bindings) ?? at;
  if (first?.is === 'function' && kinds.every(({ is }) => is === 'function')) {
    const isOne = kinds.length === 1;
    const asynchronous = isOne ? first.asynchronous : 'unknown';
    return { exported: { answer: 'function', asynchronous, at, definedAt }, handler: isOne ? first.node : undefined };
  }
  if (first?.is === 'other' && kinds.every(({ is }) => is === 'other')) {
    const { what, fix } = first;
    const why = `module.exports is ${what}`;
    return { exported: { answer: 'not-a-function', why, what, ...(fix && { fix }), at, definedAt } };
  }
  return UNKNOWN;
}

const definitionOf = (value: AnyNode | undefined, bindings: Bindings): number | undefined =>
  value?.type === 'Identifier' ? bindings.get(value.name)?.start : undefined;

/** A bundled CommonJS module, of which the formula is the default import. */
function onlyDefaultIn([first, ...others]: ExportUses['assignments'], tree: Tree): Exported | undefined {
  const definedAt = first && others.length === 0 ? objectWithDefault(first.value, tree) : undefined;
  return first && definedAt !== undefined
    ? { answer: 'not-a-function', why: ONLY_DEFAULT, at: first.at, definedAt }
    : undefined;
}

const ONLY_DEFAULT = 'only the property default is exported, and module.exports itself stays an object';

const DEFAULT_FIX = 'add: module.exports = exports.default;';

function nothingExported({ properties, rebinds, typos }: ExportUses): Exported {
  const [property] = properties;
  const [rebind] = rebinds;
  const [typo] = typos;
  if (typo) {
    const why = `${typo.written} is assigned; did you mean module.exports?`;
    return { answer: 'not-a-function', why, at: typo.at };
  }
  if (property) {
    const names = [...new Set(properties.map(({ name }) => name))].slice(0, 3).join(', ');
    return {
      answer: 'not-a-function',
      why: `only the property ${names} is exported, and module.exports itself stays an object`,
      ...(properties.some(({ name }) => name === 'default') && { fix: DEFAULT_FIX }),
      at: property.at,
    };
  }
  if (rebind) {
    return {
      answer: 'not-a-function',
      why: 'exports = … changes a variable only, and module.exports stays empty',
      at: rebind.start,
    };
  }
  return { answer: 'not-a-function', why: 'nothing is assigned to module.exports', at: 0 };
}
