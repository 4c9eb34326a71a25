/** Unified diffs of two texts, with foreign text escaped. */
import { structuredPatch } from 'diff';
import { escapeInvisible } from './escape.ts';
import type { Style } from './style.ts';

const CONTEXT = 3;
/** With more changed lines, the shortest diff takes too long and one text is shown as a replacement of the other. */
const MAX_EDITS = 1000;

/** Longer texts are not compared: a diff takes 200 times their memory. */
const MAX_LINES = 200_000;
const MAX_CHARACTERS = 4_000_000;

/**
 * The lines of a unified diff with its two headings; none for equal texts. A final line without a line break is marked.
 * `escapeText` is applied to each line.
 */
export function formatDiff(
  names: { from: string; to: string },
  from: string,
  to: string,
  style: Style,
  escapeText: (line: string) => string = escapeInvisible,
): string[] {
  if (from === to) return [];
  const headings = [style.strong(`--- ${escapeText(names.from)}`), style.strong(`+++ ${escapeText(names.to)}`)];
  if (isTooLarge(from, to))
    return [...headings, style.faint(`@@ ${formatSize(from)}, then ${formatSize(to)}: too large to compare @@`)];
  const options = { context: CONTEXT, maxEditLength: MAX_EDITS };
  const patch = structuredPatch(names.from, names.to, from, to, '', '', options) ?? {
    hunks: [
      {
        oldStart: 1,
        newStart: 1,
        oldLines: countLines(from),
        newLines: countLines(to),
        lines: toReplacement(from, to),
      },
    ],
  };
  return [
    ...headings,
    ...patch.hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
      style.faint(`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`),
      ...lines.map((line) => colorizeLine(line, style, escapeText)),
    ]),
  ];
}

/** A unified diff of two JSON values with sorted keys, since their order does not matter. */
export function formatJsonDiff({ expected, actual }: { expected: unknown; actual: unknown }, style: Style): string[] {
  const text = (value: unknown) => `${JSON.stringify(sortKeys(value), null, 2)}\n`;
  return formatDiff({ from: 'expected', to: 'actual' }, text(expected), text(actual), style);
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, member]) => [key, sortKeys(member)]));
}

/** A range of changed lines; null if it has no lines. */
export interface LineChange {
  /** The first line in the old text, or the line that the new lines are inserted before. */
  line: number;
  old: string | null;
  new: string | null;
}

/** The changed lines of two texts; texts that are too large to compare are one change. */
export function findChangedLines(from: string, to: string): LineChange[] {
  if (from === to) return [];
  const options = { context: 0, maxEditLength: MAX_EDITS };
  const patch = isTooLarge(from, to) ? undefined : structuredPatch('', '', from, to, '', '', options);
  if (!patch) return [{ line: 1, old: from, new: to }];
  return patch.hunks.map(({ oldStart, lines }) => ({
    line: oldStart,
    old: linesWith('-', lines),
    new: linesWith('+', lines),
  }));
}

function linesWith(sign: string, lines: readonly string[]): string | null {
  const found = lines.filter((line) => line.startsWith(sign)).map((line) => line.slice(1));
  return found.length === 0 ? null : found.join('\n');
}

const isTooLarge = (from: string, to: string) =>
  from.length + to.length > MAX_CHARACTERS || countLines(from) + countLines(to) > MAX_LINES;

const formatSize = (text: string) => `${text.length} characters`;

function colorizeLine(line: string, style: Style, escapeText: (line: string) => string): string {
  const text = (line[0] ?? ' ') + line.slice(1).split('\t').map(escapeText).join('\t');
  if (line.startsWith('+')) return style.good(text);
  return line.startsWith('-') ? style.error(text) : text;
}

const splitLines = (text: string) => text.replace(/\n$/, '').split('\n');
const countLines = (text: string) => (text === '' ? 0 : splitLines(text).length);
const toReplacement = (from: string, to: string) => [
  ...(from === '' ? [] : splitLines(from).map((line) => `-${line}`)),
  ...(to === '' ? [] : splitLines(to).map((line) => `+${line}`)),
];
