/** Colors for streams that support them. */
import { Chalk } from 'chalk';
import type { Tone } from './tsv.ts';

export type Style = Record<Tone, (text: string) => string>;

/** The colors of a stream; without color support, text is returned unchanged. */
export function createStyle(stream: { hasColor: boolean }): Style {
  const { red, yellow, green, dim, bold } = new Chalk({ level: stream.hasColor ? 1 : 0 });
  return { error: red, warning: yellow, good: green, faint: dim, strong: bold };
}
