/** Determines the export of a CommonJS script: a function, not a function, or unknown. */
import type { FunctionNode } from '../ast/walk.ts';
import { findDefinition, type Scopes } from '../scope/scope-analysis.ts';
import { type ExportUses, findExportUses } from './export-uses.ts';
import { type Asynchrony, classifyExpression } from './expression-kind.ts';

/**
 * The result of the analysis. `why` says why the export is not a function, and `what` is its value; `at` is the offset of
 * the export, and `definedAt` that of the definition of its value.
 */
export type ModuleExport =
  | { kind: 'function'; asynchronous: Asynchrony; at: number; definedAt: number }
  | { kind: 'not-a-function'; why: string; what?: string; fix?: string; at: number; definedAt?: number }
  | { kind: 'unknown' };

/** With the node of the function, if it is known. */
interface ExportAnalysis {
  moduleExport: ModuleExport;
  handler?: FunctionNode | undefined;
}

export const UNKNOWN: ExportAnalysis = { moduleExport: { kind: 'unknown' } };

/** Static analysis only: `not-a-function` means proven. */
export function analyzeExport(scopes: Scopes): ExportAnalysis {
  const uses = findExportUses(scopes);
  if (!uses) return UNKNOWN;
  const { assignments } = uses;
  if (assignments.length === 0) return { moduleExport: explainMissingExport(uses) };
  // The last unconditional assignment counts, and any conditional one may come after it.
  const last = assignments.findLastIndex(({ isConditional }) => !isConditional);
  const effective = assignments.filter(({ isConditional }, i) => isConditional || i === last);
  const kinds = effective.map(({ value, end, isConditional }) =>
    // A conditional assignment may be in a function that is called later.
    classifyExpression(value, { scopes, at: isConditional ? Number.POSITIVE_INFINITY : end }),
  );
  // Without an unconditional assignment, the initial empty object may stay.
  if (last < 0) kinds.push({ is: 'other', what: 'an object' });
  const [first] = kinds;
  const at = effective[0]?.at ?? 0;
  const definedAt = findDefinition(effective[0]?.value, scopes)?.start ?? at;
  if (first?.is === 'function' && kinds.every(({ is }) => is === 'function')) {
    const isOne = kinds.length === 1;
    const asynchronous = isOne ? first.asynchronous : 'unknown';
    return { moduleExport: { kind: 'function', asynchronous, at, definedAt }, handler: isOne ? first.node : undefined };
  }
  if (first?.is === 'other' && kinds.every(({ is }) => is === 'other')) {
    const { what, fix } = first;
    const why = `module.exports is ${what}`;
    return { moduleExport: { kind: 'not-a-function', why, what, ...(fix && { fix }), at, definedAt } };
  }
  return UNKNOWN;
}

const DEFAULT_FIX = 'Add: module.exports = exports.default;';

function explainMissingExport({ properties, reassignments, typos }: ExportUses): ModuleExport {
  const [property] = properties;
  const [reassignment] = reassignments;
  const [typo] = typos;
  const create = (at: number, why: string): ModuleExport => ({ kind: 'not-a-function', why, at });
  if (typo) return create(typo.at, `${typo.written} is assigned; did you mean module.exports?`);
  if (property) {
    const names = [...new Set(properties.map(({ name }) => name))];
    const why = `only the property ${names.slice(0, 3).join(', ')} is exported; module.exports itself is an object`;
    return { ...create(property.at, why), ...(names.includes('default') && { fix: DEFAULT_FIX }) };
  }
  return reassignment
    ? create(reassignment.start, 'exports = … only changes a variable, not module.exports')
    : create(0, 'nothing is assigned to module.exports');
}
