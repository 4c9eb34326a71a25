/** Analyzes a large bundle in parts: the formula's own files, and groups of packages. */
import { groupBy } from '../text/group-by.ts';
import { analyzeProgram, type CodeFacts } from './analysis.ts';
import { type BundledModule, findModules, isBundle } from './bundle/bundled-modules.ts';
import { MAX_BUNDLE_BYTES } from './bundle/limits.ts';
import type { MissingApi } from './node16/missing-apis.ts';
import { parseWithMeriyah } from './parse/parse.ts';

interface Segment {
  start: number;
  end: number;
  module: BundledModule;
}

const UNKNOWN: CodeFacts = { error: undefined, analysis: undefined };

/** The facts about a large bundle; empty if the text is not a bundle, or its own files alone are too large. */
export function analyzeLargeBundle(text: string, limit: number): CodeFacts {
  if (text.length > MAX_BUNDLE_BYTES || !isBundle(text)) return UNKNOWN;
  const segments = splitIntoSegments(text);
  const own = segments.filter(({ module }) => module.packageName === undefined);
  if (measureSegments(own) > limit) return UNKNOWN;
  const ownText = joinSegments(text, own);
  const parts = [own, ...groupPackages(segments, limit)].map((part) => analyzePart(text, part, ownText));
  const error = parts.find((part) => part.error)?.error;
  const analysis = parts[0]?.analysis;
  if (error || !analysis) return { error, analysis: undefined };
  return { error, analysis: { ...analysis, missingApis: mergeMissingApis(parts) } };
}

function splitIntoSegments(text: string): Segment[] {
  const starts = [{ index: 0, module: { name: '', packageName: undefined } }, ...findModules(text)];
  return starts.map(({ index, module }, i) => ({ start: index, end: starts[i + 1]?.index ?? text.length, module }));
}

const measureSegments = (segments: readonly Segment[]) =>
  segments.reduce((sum, { start, end }) => sum + end - start, 0);

const joinSegments = (text: string, segments: readonly Segment[]) =>
  segments.map(({ start, end }) => text.slice(start, end)).join('');

/** Groups the segments of packages up to a size; a larger package is in none. */
function groupPackages(segments: readonly Segment[], limit: number): Segment[][] {
  const packages = groupBy(segments, ({ module }) => module.packageName);
  packages.delete(undefined);
  const groups: Segment[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const one of packages.values()) {
    const length = measureSegments(one);
    if (length > limit) continue;
    if (size + length > limit) {
      groups.push([]);
      size = 0;
    }
    groups.push([...(groups.pop() ?? []), ...one]);
    size += length;
  }
  return groups;
}

/** Analyzes some segments; the others are blanked out, so that offsets stay the same. */
function analyzePart(text: string, selected: readonly Segment[], ownText: string): CodeFacts {
  const part = blankOthers(text, selected);
  const { program, error } = parseWithMeriyah(part) ?? {};
  if (program) return { error: undefined, analysis: analyzeProgram(program, part, ownText) };
  return { error: error?.kind === 'target' ? error : undefined, analysis: undefined };
}

function blankOthers(text: string, selected: readonly Segment[]): string {
  let at = 0;
  const pieces = [...selected]
    .sort((a, b) => a.start - b.start)
    .map(({ start, end }) => {
      const piece = blank(text.slice(at, start)) + text.slice(start, end);
      at = end;
      return piece;
    });
  return pieces.join('') + blank(text.slice(at));
}

const blank = (text: string) => text.replace(/[^\n\r\u2028\u2029]+/g, (line) => ' '.repeat(line.length));

function mergeMissingApis(parts: readonly CodeFacts[]): MissingApi[] {
  const globals = new Set(parts.flatMap(({ analysis }) => analysis?.globalsSet ?? []));
  const all = parts.flatMap(({ analysis }) => analysis?.missingApis ?? []);
  return all.filter(({ kind, what }) => kind !== 'global' || !globals.has(what)).sort((a, b) => a.at - b.at);
}
