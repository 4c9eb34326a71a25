/** What an update sends, and whether it is needed: the folder's body laid over what the service has. Pure. */
import type { Formula, FormulaBody } from '../model.ts';

export interface Merge {
  /** The whole body of the PUT; what the folder says nothing of is kept (a PUT replaces everything, spec 4.5). */
  body: FormulaBody;
  /** The fields that would change; none: no PUT is needed. */
  changed: readonly (keyof FormulaBody)[];
  /** The fields that are kept since the folder says nothing of them. */
  kept: readonly ('icon' | 'description')[];
}

const FIELDS = ['name', 'description', 'type', 'icon', 'code', 'configuration', 'request_parameters'] as const;

/** Lays a folder's body over the formula that the service has. */
export function mergeFormula(local: FormulaBody, remote: Formula, options: { removeIcon: boolean }): Merge {
  const kept = (['icon', 'description'] as const).filter(
    (field) => local[field] === undefined && remote[field] != null && !(field === 'icon' && options.removeIcon),
  );
  const keptValues = Object.fromEntries(kept.map((field) => [field, remote[field]]));
  const body: FormulaBody = { ...local, ...keptValues, ...(options.removeIcon && { icon: null }) };
  const changed = FIELDS.filter((field) => canonical(field, body[field]) !== canonical(field, remote[field]));
  return { body, changed, kept };
}

/** One text for all values that mean the same to the service: absent, null and defaults are equal. */
function canonical(field: (typeof FIELDS)[number], value: unknown): string {
  if (field === 'configuration' || field === 'request_parameters') {
    const elements = (value ?? []) as FormulaBody['request_parameters'];
    return JSON.stringify(
      elements.map(({ name, description, type, optional }) => [name, description ?? null, type, optional ?? false]),
    );
  }
  if (field === 'icon' && typeof value === 'string')
    return value.replace(/^data:image\/jpg;/, 'data:image/jpeg;').replace(/,\s+/, ',');
  return typeof value === 'string' ? value : '';
}
