/** Colour, by meaning and only where the stream has it. */
import { Chalk } from 'chalk';
import type { Tone } from './tsv.ts';

export type Style = Record<Tone, (text: string) => string>;

/** The colours of a stream, or plain text. */
export function createStyle(stream: { hasColor: boolean }): Style {
  const { red, yellow, green, dim, bold } = new Chalk({ level: stream.hasColor ? 1 : 0 });
  return { error: red, warning: yellow, good: green, faint: dim, strong: bold };
}
