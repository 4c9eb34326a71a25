/** The lines that show how a field of a formula differs. */
import { isBlockField, isSameCode } from '../formula-fields.ts';
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
  if (!isBlockField(field))
    return [`${field}: ${escapeInvisible(JSON.stringify(from))} → ${escapeInvisible(JSON.stringify(to))}`];
  return formatTextDiff({ field, from, to }, names, style);
}

/** A field of a conflict: its three values in one line, or a unified diff of each side that changed. */
export async function formatConflictDiff(
  { field, was, remote, local }: { field: string; was: unknown; remote: unknown; local: unknown },
  style: Style,
): Promise<string[]> {
  if (!isBlockField(field)) {
    const show = (value: unknown) => escapeInvisible(JSON.stringify(value));
    return [`${field}: was ${show(was)}, remote ${show(remote)}, local ${show(local)}`];
  }
  return [
    ...(await formatTextDiff({ field, from: was, to: remote }, { from: 'was', to: 'remote' }, style)),
    ...(await formatTextDiff({ field, from: was, to: local }, { from: 'was', to: 'local' }, style)),
  ];
}

async function formatTextDiff(
  { field, from, to }: FieldDiff,
  names: { from: string; to: string },
  style: Style,
): Promise<string[]> {
  const { formatDiff } = await import('../output/text-diff.ts');
  const toText = (value: unknown) => (field === 'code' ? String(value ?? '') : formatElements(value));
  if (field === 'code' && from !== to && isSameCode(toText(from), toText(to)))
    return [`code: ${names.from} ${formatLineEndings(toText(from))}, ${names.to} ${formatLineEndings(toText(to))}`];
  return formatDiff(
    { from: `${names.from}: ${field}`, to: `${names.to}: ${field}` },
    toText(from),
    toText(to),
    style,
    field === 'code' ? escapeInvisibleInCode : escapeInvisible,
  );
}

function formatLineEndings(code: string): string {
  const crlf = code.split('\r\n').length - 1;
  const lf = code.split('\n').length - 1 - crlf;
  return `${[...(crlf > 0 ? ['CRLF'] : []), ...(lf > 0 ? ['LF'] : [])].join(' and ')} line endings`;
}
