/** A formula on a terminal: its fields, then tables of its configuration and request parameters. */
import { identifyIcon, readIconSize } from '../folder/icon.ts';
import type { Formula, RequestParameter } from '../model.ts';
import { escapeControls } from '../output/escape.ts';
import type { OutputTarget } from '../output/formats.ts';
import { formatRelativeTime } from '../output/relative-time.ts';
import { createStyle, type Style } from '../output/style.ts';
import { formatDefinitionList, measureWidest, padToWidth, wrap } from '../output/wrap.ts';
import { withIcon } from './status-icons.ts';

/** Fields with their own sections; all others are listed in the order of the response. */
const SEPARATE_FIELDS = ['name', 'description', 'configuration', 'request_parameters'];

/** The lines are wrapped to the width of the terminal, and nothing is truncated. */
export function formatFormulaCard(formula: Formula, now: Date, target: OutputTarget): string {
  const style = createStyle(target);
  const width = target.columns;
  const sanitize = (text: string) => target.redact(escapeControls(text));
  const rows = Object.entries(formula)
    .filter(([key]) => !SEPARATE_FIELDS.includes(key))
    .map(([key, value]) => [sanitize(key), sanitize(formatCardField(key, value, now))] as const);
  const title = wrap(sanitize(formula.name), width, true).map((line) => style.strong(line));
  const description = formula.description ? wrap(sanitize(formula.description), width, true) : [];
  return [
    ...title,
    ...description,
    '',
    ...formatDefinitionList(rows, { width, colorize: style.faint }),
    '',
    ...formatContractTable('Configuration', formula.configuration, sanitize, width, style),
    '',
    ...formatContractTable('Request parameters', formula.request_parameters, sanitize, width, style),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

function formatCardField(key: string, value: unknown, now: Date): string {
  if (value === null || value === undefined || value === '') return key === 'icon' ? 'none' : '-';
  if (key === 'code') return formatCode(String(value));
  if (key === 'icon') return formatIcon(String(value));
  if (typeof value !== 'string') return JSON.stringify(value);
  if (key === 'status' || key === 'type') return withIcon(value).trim();
  const since = key.endsWith('_at') ? formatRelativeTime(value, now) : value;
  return since === value ? value : `${since} (${value})`;
}

const formatCount = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;

const formatCode = (code: string) =>
  `${formatCount(Buffer.byteLength(code), 'byte')}, ${formatCount(code.replace(/\n$/, '').split('\n').length, 'line')}`;

/** The type, dimensions, and size of an icon, from its bytes. */
function formatIcon(dataUrl: string): string {
  const data = /^data:image\/[a-z+.-]+;base64,(.*)$/is.exec(dataUrl)?.[1];
  if (data === undefined) return `not an image data URL, ${formatCount(dataUrl.length, 'character')}`;
  const bytes = Buffer.from(data, 'base64');
  const kind = identifyIcon(bytes);
  const size = readIconSize(bytes);
  return [
    kind.type ?? kind.found,
    ...(size ? [`${size.width} × ${size.height} pixels`] : []),
    formatCount(bytes.length, 'byte'),
    ...(kind.type !== undefined && kind.problem ? [kind.problem] : []),
  ].join(', ');
}

/** A heading, and the name, type, and description of each element. */
function formatContractTable(
  title: string,
  elements: readonly Partial<RequestParameter>[] | null | undefined,
  sanitize: (text: string) => string,
  width: number,
  style: Style,
): string[] {
  if (!elements || elements.length === 0) return [`${style.strong(title)}  none`];
  const names = elements.map(({ name }) => sanitize(name ?? ''));
  const nameWidth = measureWidest(names);
  const rows = elements.map(({ type, optional, description }, i) => {
    const kind = `${sanitize(type ?? '')}${optional ? ', optional' : ''}`;
    return [`${padToWidth(names[i] ?? '', nameWidth)}  ${kind}`, sanitize(description ?? '')] as const;
  });
  return [style.strong(title), ...formatDefinitionList(rows, { width, indent: 2 })];
}
