/** A plan's steps in words and values: what changes, from what to what. Pure. */

import type { FormulaBody } from '../../model.ts';
import { sha256 } from '../../text/hash.ts';
import type { UnmanagedStep } from './find-unmanaged.ts';
import type { Step } from './plan.ts';

type FormulaField = keyof FormulaBody;

/** One change of a field; an icon is told by type, size and hash. */
export interface Change {
  field: FormulaField;
  local: unknown;
  remote: unknown;
}

const FIELDS: readonly FormulaField[] = [
  'name',
  'description',
  'type',
  'icon',
  'code',
  'configuration',
  'request_parameters',
];

/** The changes of a step; `body` is what its folder holds. Of a create all that is sent, of other actions none. */
export function listChanges({ action, fields, remote }: Step | UnmanagedStep, body: FormulaBody | undefined): Change[] {
  if (body === undefined) return [];
  const changed = action === 'create' ? FIELDS.filter((field) => body[field] !== undefined) : fields;
  return changed.map((field) => ({
    field,
    local: toDisplayValue(field, body[field]),
    remote: toDisplayValue(field, remote?.[field]),
  }));
}

/** A value of a field as it is printed: null for an empty one, and an icon by its type, size, and hash. */
export function toDisplayValue(field: FormulaField, value: unknown): unknown {
  if (value === undefined || value === null || value === '') return null;
  return field === 'icon' ? describeIcon(String(value)) : value;
}

/** An icon's type, size and hash. */
export function describeIcon(dataUrl: string): string {
  const [, type = 'unknown type', data = dataUrl] = /^data:([^;,]*)(?:;[^,]*)?,\s*(.*)$/s.exec(dataUrl) ?? [];
  const bytes = Buffer.from(data, 'base64');
  const hash = sha256(bytes).toString('hex').slice(0, 12);
  return `${type}, ${bytes.length} bytes, sha256 ${hash}`;
}

/** A contract as a text with a line an element, so that a diff of lines shows which one changed. */
export function formatElements(value: unknown): string {
  if (!Array.isArray(value)) return '';
  return value.map((element) => `${JSON.stringify(element)}\n`).join('');
}

/** What else is to be known of a step, in a few words each. */
export function describeRemarks({ adopted, renamedFrom, overwrites, missingId }: Step | UnmanagedStep): string[] {
  return [
    ...(adopted ? ['adopted by its name'] : []),
    ...(renamedFrom === undefined ? [] : [`renamed from ${JSON.stringify(renamedFrom)}`]),
    ...(overwrites ? ['overwrites a remote version that is not known here'] : []),
    ...(missingId === undefined ? [] : [`the linked formula ${missingId} no longer exists`]),
  ];
}
