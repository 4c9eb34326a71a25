/** Parses a large JSON text part by part, so that its text is never in memory as a whole next to its values. */
import type { Span } from './json-scan.ts';

/** Throws SyntaxError where JSON.parse does. */
export function parseInParts(json: Buffer, spans: readonly Span[]): unknown {
  const values = spans.map(({ start, end }) => JSON.parse(json.toString('utf8', start, end)));
  const outer: unknown = JSON.parse(withIndexes(json, spans));
  if (spans.length === 0) return outer;
  const filled = (value: unknown): unknown =>
    typeof value === 'number' ? values[value] : Array.isArray(value) ? value.map(filled) : value;
  return Object.fromEntries(Object.entries(outer as object).map(([key, value]) => [key, filled(value)]));
}

/** The text with the index of each span in its place: it is valid if the whole is, since a span is all between two separators. */
function withIndexes(json: Buffer, spans: readonly Span[]): string {
  const pieces: string[] = [];
  let end = 0;
  spans.forEach((span, index) => {
    pieces.push(json.toString('utf8', end, span.start), String(index));
    end = span.end;
  });
  return `${pieces.join('')}${json.toString('utf8', end)}`;
}
