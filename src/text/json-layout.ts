/** The layout of a JSON text, to format new values like the existing ones. Pure. */
import type { JsonPath } from './json-with-positions.ts';
import { findNodeAtLocation, type Node, parseTree } from './jsonc.ts';

export type Layout = ReturnType<typeof detectLayout>;

/** The layout of a text at an offset. */
export function detectLayout(text: string, offset: number) {
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1;
  return {
    /** One level of indentation. */
    indent: /^([ \t]+)\S/m.exec(text)?.[1] ?? '  ',
    /** The indentation of the value's line. */
    lineIndent: /^[ \t]*/.exec(text.slice(lineStart))?.[0] ?? '',
    lineBreak: text.includes('\r\n') ? '\r\n' : '\n',
    /** Whether the complete text is on one line. */
    isOneLine: !text.trim().includes('\n'),
  };
}

/** A value as JSON, formatted like a sibling: on one line if that is an array or object on one line. */
export function formatLike(value: unknown, layout: Layout, sibling = ''): string {
  const isFlat = /^[[{]\s*[^\s\]}]/.test(sibling) && !sibling.includes('\n');
  if (layout.isOneLine || isFlat) return formatOnOneLine(value, /^[[{] /.test(sibling), /": /.test(sibling));
  return JSON.stringify(value, null, layout.indent).replaceAll('\n', `${layout.lineBreak}${layout.lineIndent}`);
}

/** `isPadded`: spaces inside brackets; `isSpaced`: spaces after colons and commas. */
function formatOnOneLine(value: unknown, isPadded: boolean, isSpaced: boolean): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const isList = Array.isArray(value);
  const parts = Object.entries(value).map(([key, item]) => {
    const text = formatOnOneLine(item, isPadded, isSpaced);
    return isList ? text : `${JSON.stringify(key)}:${isSpaced ? ' ' : ''}${text}`;
  });
  if (parts.length === 0) return isList ? '[]' : '{}';
  const pad = isPadded ? ' ' : '';
  const inside = `${pad}${parts.join(isSpaced ? ', ' : ',')}${pad}`;
  return isList ? `[${inside}]` : `{${inside}}`;
}

/** Replaces the value at a path, which must exist; the rest of the text is unchanged. */
export function replaceValue(text: string, path: JsonPath, value: unknown): string {
  const node = findNodeAtLocation(parseTree(text) as Node, [...path]);
  if (!node) throw new Error(`no value at ${path.join('.')}`);
  const { offset, length } = node;
  return text.slice(0, offset) + formatLike(value, detectLayout(text, offset)) + text.slice(offset + length);
}
