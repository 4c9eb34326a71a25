/** One formula as people read it on a terminal: what it is, then its contract as two small tables. */
import { iconSize, identifyIcon } from '../folder/icon.ts';
import type { Formula, RequestParameter } from '../model.ts';
import { visible } from '../output/escape.ts';
import type { Paper } from '../output/formats.ts';
import { relativeTime } from '../output/relative-time.ts';
import type { Style } from '../output/style.ts';
import { signed } from './status-icons.ts';

/** The fields that have a place of their own; all others follow, as the service sent them. */
const PLACED = ['name', 'description', 'configuration', 'request_parameters'];

/** The card's text; no line is wider than the paper, and nothing is cut. */
export async function formulaCard(formula: Formula, now: Date, paper: Paper): Promise<string> {
  const { labelled, wrapped } = await import('../output/wrap.ts');
  const { styleOf } = await import('../output/style.ts');
  const style = styleOf(paper);
  const width = paper.columns;
  const clean = (text: string) => paper.hide(visible(text));
  const rows = Object.entries(formula)
    .filter(([key]) => !PLACED.includes(key))
    .map(([key, value]) => [clean(key), clean(fieldText(key, value, now))] as const);
  const title = wrapped(clean(formula.name), width, true).map((line) => style.strong(line));
  const about = formula.description ? wrapped(clean(formula.description), width, true) : [];
  return [
    ...title,
    ...about,
    '',
    ...labelled(rows, { width, paint: style.faint }),
    '',
    ...(await contractLines('Configuration', formula.configuration, clean, width, style)),
    '',
    ...(await contractLines('Request parameters', formula.request_parameters, clean, width, style)),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

function fieldText(key: string, value: unknown, now: Date): string {
  if (value === null || value === undefined || value === '') return key === 'icon' ? 'none' : '-';
  if (key === 'code') return codeText(String(value));
  if (key === 'icon') return iconText(String(value));
  if (typeof value !== 'string') return JSON.stringify(value);
  if (key === 'status' || key === 'type') return signed(value).trim();
  const since = key.endsWith('_at') ? relativeTime(value, now) : value;
  return since === value ? value : `${since} (${value})`;
}

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;

const codeText = (code: string) =>
  `${counted(Buffer.byteLength(code), 'byte')}, ${counted(code.replace(/\n$/, '').split('\n').length, 'line')}`;

/** An icon's type, dimensions and size, by its bytes. */
function iconText(dataUrl: string): string {
  const data = /^data:image\/[a-z+.-]+;base64,(.*)$/is.exec(dataUrl)?.[1];
  if (data === undefined) return `no image as a data URL, ${counted(dataUrl.length, 'character')}`;
  const bytes = Buffer.from(data, 'base64');
  const kind = identifyIcon(bytes);
  const size = iconSize(bytes);
  return [
    kind.type ?? kind.found,
    ...(size ? [`${size.width} × ${size.height} pixels`] : []),
    counted(bytes.length, 'byte'),
    ...(kind.type !== undefined && kind.fault ? [kind.fault] : []),
  ].join(', ');
}

/** A part of the contract: name, type and description of each element, under a heading. */
async function contractLines(
  title: string,
  elements: readonly Partial<RequestParameter>[] | null | undefined,
  clean: (text: string) => string,
  width: number,
  style: Style,
): Promise<string[]> {
  if (!elements || elements.length === 0) return [`${style.strong(title)}  none`];
  const { labelled, padded, widest } = await import('../output/wrap.ts');
  const names = elements.map(({ name }) => clean(name ?? ''));
  const nameWidth = widest(names);
  const rows = elements.map(({ type, optional, description }, i) => {
    const kind = `${clean(type ?? '')}${optional ? ', optional' : ''}`;
    return [`${padded(names[i] ?? '', nameWidth)}  ${kind}`, clean(description ?? '')] as const;
  });
  return [style.strong(title), ...labelled(rows, { width, indent: 2 })];
}
