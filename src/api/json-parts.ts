/** Parses large JSON in parts, so that its complete text is never in memory next to its values. */
import type { Span } from './json-scan.ts';

/** Throws SyntaxError like JSON.parse. */
export function parseInParts(json: Buffer, spans: readonly Span[]): unknown {
  const values = spans.map(({ start, end }) => JSON.parse(json.toString('utf8', start, end)));
  const outer: unknown = JSON.parse(withIndexes(json, spans));
  if (spans.length === 0) return outer;
  const filled = (value: unknown): unknown =>
    typeof value === 'number' ? values[value] : Array.isArray(value) ? value.map(filled) : value;
  return Object.fromEntries(Object.entries(outer as object).map(([key, value]) => [key, filled(value)]));
}

/** Replaces each span by its index. The result is valid JSON if the original is, because a span is everything between two separators. */
function withIndexes(json: Buffer, spans: readonly Span[]): string {
  const pieces: string[] = [];
  let end = 0;
  spans.forEach((span, index) => {
    pieces.push(json.toString('utf8', end, span.start), String(index));
    end = span.end;
  });
  return `${pieces.join('')}${json.toString('utf8', end)}`;
}
