/** Analyzes a large bundle in parts: the formula's own files, and groups of packages. */
import type { Program } from 'acorn';
import { appendTo } from '../text/append-to.ts';
import { analyzeProgram, type CodeFacts } from './analysis.ts';
import { type BundledModule, findModules, isBundle } from './bundle/bundled-modules.ts';
import { MAX_BUNDLE_BYTES } from './bundle/limits.ts';
import type { MissingApi } from './node16/missing-apis.ts';
import { parseWithMeriyah } from './parse/parse.ts';
import { listBindingIdentifiers } from './scope/scope.ts';

interface Segment {
  start: number;
  end: number;
  module: BundledModule;
}

interface AnalyzedPart {
  facts: CodeFacts;
  /** Names visible to all parts: top-level declarations, and properties set on the global object. */
  provided: readonly string[];
}

const UNKNOWN: CodeFacts = { error: undefined, analysis: undefined };

/** The facts about a large bundle; empty if the text is not a bundle, or its own files alone are too large. */
export function analyzeLargeBundle(text: string, limit: number): CodeFacts {
  if (text.length > MAX_BUNDLE_BYTES || !isBundle(text)) return UNKNOWN;
  const segments = splitIntoSegments(text);
  const own = segments.filter(({ module }) => module.packageName === undefined);
  if (measureSegments(own) > limit) return UNKNOWN;
  const ownText = joinSegments(text, own);
  const packages = groupByPackage(segments);
  const parts = [own, ...packIntoGroups(packages, limit)].map((part) => analyzePart(text, part, ownText));
  const error = parts.find(({ facts }) => facts.error)?.facts.error;
  const analysis = parts[0]?.facts.analysis;
  if (error || !analysis) return { error, analysis: undefined };
  const split = [...packages].filter(([, segmentsOfOne]) => measureSegments(segmentsOfOne) > limit);
  const texts = new Map(split.map(([name, segmentsOfOne]) => [name, joinSegments(text, segmentsOfOne)]));
  return {
    error,
    analysis: { ...analysis, missingApis: mergeMissingApis(parts).filter((one) => !isGuarded(one, texts)) },
  };
}

function splitIntoSegments(text: string): Segment[] {
  const starts = [{ index: 0, module: { name: '', packageName: undefined } }, ...findModules(text)];
  return starts.map(({ index, module }, i) => ({ start: index, end: starts[i + 1]?.index ?? text.length, module }));
}

const measureSegments = (segments: readonly Segment[]) =>
  segments.reduce((sum, { start, end }) => sum + end - start, 0);

const joinSegments = (text: string, segments: readonly Segment[]) =>
  segments.map(({ start, end }) => text.slice(start, end)).join('');

function groupByPackage(segments: readonly Segment[]): Map<string, Segment[]> {
  const packages = new Map<string, Segment[]>();
  for (const segment of segments) {
    const name = segment.module.packageName;
    if (name !== undefined) appendTo(packages, name, segment);
  }
  return packages;
}

/** Groups the segments up to a size; only a larger package is in more than one group. */
function packIntoGroups(packages: ReadonlyMap<string, Segment[]>, limit: number): Segment[][] {
  const groups: Segment[][] = [];
  let size = Number.POSITIVE_INFINITY;
  const add = (segments: readonly Segment[]) => {
    if (size + measureSegments(segments) > limit) {
      groups.push([]);
      size = 0;
    }
    for (const segment of segments) groups.at(-1)?.push(segment);
    size += measureSegments(segments);
  };
  for (const segments of packages.values()) {
    if (measureSegments(segments) <= limit) add(segments);
    else for (const segment of segments) if (measureSegments([segment]) <= limit) add([segment]);
  }
  return groups;
}

/** Analyzes some segments; the others are blanked out, so that offsets stay the same. */
function analyzePart(text: string, selected: readonly Segment[], ownText: string): AnalyzedPart {
  const part = blankOthers(text, selected);
  const { program, error } = parseWithMeriyah(part) ?? {};
  if (!program)
    return { facts: { error: error?.kind === 'target' ? error : undefined, analysis: undefined }, provided: [] };
  const analysis = analyzeProgram(program, part, ownText);
  return { facts: { error: undefined, analysis }, provided: [...listDeclaredNames(program), ...analysis.globalsSet] };
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

const listDeclaredNames = ({ body }: Program): string[] =>
  body.flatMap((node) => {
    if (node.type === 'VariableDeclaration')
      return node.declarations.flatMap(({ id }) => listBindingIdentifiers(id)).map(({ name }) => name);
    return node.type === 'FunctionDeclaration' || node.type === 'ClassDeclaration' ? node.id.name : [];
  });

function mergeMissingApis(parts: readonly AnalyzedPart[]): MissingApi[] {
  const provided = new Set(parts.flatMap((part) => part.provided));
  const all = parts.flatMap(({ facts }) => facts.analysis?.missingApis ?? []);
  return all.filter(({ kind, what }) => kind !== 'global' || !provided.has(what)).sort((a, b) => a.at - b.at);
}

/** Whether a package that was split has a guard for the API in another part. */
function isGuarded({ kind, what, packageName = '' }: MissingApi, texts: ReadonlyMap<string, string>): boolean {
  const text = kind === 'global' ? texts.get(packageName) : undefined;
  return text !== undefined && new RegExp(`typeof (?:globalThis\\.|global\\.)?${what}\\b`).test(text);
}
