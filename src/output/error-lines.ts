/** Formats hints without colors, so that nothing needs to be loaded. */
import { escapeControlsByLine } from './escape.ts';

/** A hint after `hint: `, with further lines indented. */
export const formatHint = (hint: string): string => escapeControlsByLine(hint).replaceAll('\n', '\n      ');
