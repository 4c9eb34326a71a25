/** Describes the changes of the steps of a plan. Pure. */
import { CONTENT_FIELDS, isSameCode } from '../../formula-fields.ts';
import type { FormulaBody } from '../../model.ts';
import { sha256 } from '../../text/hash.ts';
import type { Step, UnmanagedStep } from './plan.ts';

type FormulaField = keyof FormulaBody;

/** A changed field; an icon is described by its type, size, and hash. */
export interface FieldChange {
  field: FormulaField;
  local: unknown;
  remote: unknown;
}

/** The changes of a step. For a create, all fields that are sent. */
export function listChanges({ action, fields, body, remote }: Step | UnmanagedStep): FieldChange[] {
  if (body === undefined) return [];
  const changed = action === 'create' ? CONTENT_FIELDS.filter((field) => body[field] !== undefined) : fields;
  return changed.map((field) => ({
    field,
    local: toDisplayValue(field, body[field]),
    remote: toDisplayValue(field, remote?.[field]),
  }));
}

/** The printed value of a field: null if it is empty, a description for an icon. */
export function toDisplayValue(field: FormulaField, value: unknown): unknown {
  if (value === undefined || value === null || value === '') return null;
  return field === 'icon' ? describeIcon(String(value)) : value;
}

/** The type, size, and hash of an icon. */
export function describeIcon(dataUrl: string): string {
  const [, type = 'unknown type', data = dataUrl] = /^data:([^;,]*)(?:;[^,]*)?,\s*(.*)$/s.exec(dataUrl) ?? [];
  const bytes = Buffer.from(data, 'base64');
  const hash = sha256(bytes).toString('hex').slice(0, 12);
  return `${type}, ${bytes.length} bytes, sha256 ${hash}`;
}

/** Formats elements as one line each, so that a diff shows which one changed. */
export function formatElements(value: unknown): string {
  if (!Array.isArray(value)) return '';
  return value.map((element) => `${JSON.stringify(element)}\n`).join('');
}

/** Whether a step changes nothing but line endings, which git may convert. */
export const isLineEndingsOnly = ({ action, fields, body, remote }: Step | UnmanagedStep): boolean =>
  action !== 'keep' && fields.length === 1 && fields[0] === 'code' && isSameCode(body?.code ?? '', remote?.code ?? '');

export const OVERWRITES = 'overwrites a remote version that may contain changes by others';

/** Remarks about a step, in a few words each, without breaking changes. */
export function formatRemarks(step: Step | UnmanagedStep): string[] {
  const { action, adopted, renamedFrom, movedFrom, overwrites, missingId } = step;
  return [
    ...(isLineEndingsOnly(step) ? ['only line endings differ'] : []),
    ...(adopted ? ['matched by its name'] : []),
    ...(renamedFrom === undefined ? [] : [`renamed from ${JSON.stringify(renamedFrom)}`]),
    ...(movedFrom === undefined ? [] : [`moved from ${movedFrom.displayPath}`]),
    ...(overwrites && action !== 'conflict' ? [OVERWRITES] : []),
    ...(missingId === undefined ? [] : [`the linked formula ${missingId} no longer exists`]),
  ];
}
