/** The lines that show how a field of a formula differs. */
import { escapeInvisible, escapeInvisibleInCode } from '../output/escape.ts';
import type { Style } from '../output/style.ts';
import { formatElements } from '../sync/push/changes.ts';

interface FieldDiff {
  field: string;
  from: unknown;
  to: unknown;
}

/** One line, or a unified diff for code and for lists. `names` are those of the two sides. */
export async function formatFieldDiff(
  { field, from, to }: FieldDiff,
  names: { from: string; to: string },
  style: Style,
): Promise<string[]> {
  if (field !== 'code' && field !== 'configuration' && field !== 'request_parameters')
    return [`${field}: ${escapeInvisible(JSON.stringify(from))} → ${escapeInvisible(JSON.stringify(to))}`];
  const { formatDiff } = await import('../output/text-diff.ts');
  const toText = (value: unknown) => (field === 'code' ? String(value ?? '') : formatElements(value));
  return formatDiff(
    { from: `${names.from}: ${field}`, to: `${names.to}: ${field}` },
    toText(from),
    toText(to),
    style,
    field === 'code' ? escapeInvisibleInCode : escapeInvisible,
  );
}
