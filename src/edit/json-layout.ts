/** How a JSON text is laid out, so that a new value looks like the values around it. Pure. */

export interface Layout {
  /** One level of indentation. */
  indent: string;
  /** The indentation of the line that the value is in. */
  lineIndent: string;
  lineBreak: '\n' | '\r\n';
  /** The complete text is on one line. */
  isOneLine: boolean;
}

/** The layout of a text at an offset. */
export function layoutAt(text: string, offset: number): Layout {
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1;
  return {
    indent: /^([ \t]+)\S/m.exec(text)?.[1] ?? '  ',
    lineIndent: /^[ \t]*/.exec(text.slice(lineStart))?.[0] ?? '',
    lineBreak: text.includes('\r\n') ? '\r\n' : '\n',
    isOneLine: !text.trim().includes('\n'),
  };
}

/** A value as JSON, laid out as a sibling is: on one line where that is a list or an object on one line. */
export function formatLike(value: unknown, layout: Layout, sibling: string): string {
  const isFlat = /^[[{]\s*[^\s\]}]/.test(sibling) && !sibling.includes('\n');
  if (layout.isOneLine || isFlat) return formatOnOneLine(value, /^[[{] /.test(sibling), /": /.test(sibling));
  return JSON.stringify(value, null, layout.indent).replaceAll('\n', `${layout.lineBreak}${layout.lineIndent}`);
}

/** `isPadded`: spaces inside of the brackets; `isSpaced`: spaces after colons and commas. */
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
