/** A bundle that is too large to be analyzed at once, in parts: the formula's own files, and packages. */
import type { Program } from 'acorn';
import { analyzeProgram, type CodeFacts } from './analysis.ts';
import { type BundledModule, isBundle, modulesIn } from './bundle/bundled-modules.ts';
import { MAX_BUNDLE_BYTES } from './bundle/limits.ts';

import type { MissingApi } from './node16/missing-apis.ts';
import { parseWithMeriyah } from './parse/parse.ts';
import { listBindingIdentifiers } from './scope/binding-identifiers.ts';

interface Segment {
  start: number;
  end: number;
  module: BundledModule;
}

interface Part {
  facts: CodeFacts;
  /** Names that all parts see: what it declares at the top, and sets on the global object. */
  provided: readonly string[];
}

const UNKNOWN: CodeFacts = { fault: undefined, analysis: undefined };

/** What is known of a large script; nothing where it is not a bundle, or where its own files alone are too large. */
export function factsOfLarge(text: string, limit: number): CodeFacts {
  if (text.length > MAX_BUNDLE_BYTES || !isBundle(text)) return UNKNOWN;
  const segments = segmentsOf(text);
  const own = segments.filter(({ module }) => module.packageName === undefined);
  if (sizeOf(own) > limit) return UNKNOWN;
  const ownText = textIn(text, own);
  const packages = packagesIn(segments);
  const parts = [own, ...groupsOf(packages, limit)].map((kept) => readPart(text, kept, ownText));
  const fault = parts.find(({ facts }) => facts.fault)?.facts.fault;
  const analysis = parts[0]?.facts.analysis;
  if (fault || !analysis) return { fault, analysis: undefined };
  const split = [...packages].filter(([, segmentsOfOne]) => sizeOf(segmentsOfOne) > limit);
  const texts = new Map(split.map(([name, segmentsOfOne]) => [name, textIn(text, segmentsOfOne)]));
  return { fault, analysis: { ...analysis, missingApis: lackingIn(parts).filter((one) => !isAsked(one, texts)) } };
}

function segmentsOf(text: string): Segment[] {
  const starts = [{ index: 0, module: { name: '', packageName: undefined } }, ...modulesIn(text)];
  return starts.map(({ index, module }, i) => ({ start: index, end: starts[i + 1]?.index ?? text.length, module }));
}

const sizeOf = (segments: readonly Segment[]) => segments.reduce((sum, { start, end }) => sum + end - start, 0);

const textIn = (text: string, segments: readonly Segment[]) =>
  segments.map(({ start, end }) => text.slice(start, end)).join('');

function packagesIn(segments: readonly Segment[]): Map<string, Segment[]> {
  const packages = new Map<string, Segment[]>();
  for (const segment of segments) {
    const name = segment.module.packageName;
    if (name === undefined) continue;
    const known = packages.get(name);
    if (known) known.push(segment);
    else packages.set(name, [segment]);
  }
  return packages;
}

/** The segments of packages, in groups up to a size; a package is in more than one only if it is larger than that. */
function groupsOf(packages: ReadonlyMap<string, Segment[]>, limit: number): Segment[][] {
  const groups: Segment[][] = [];
  let size = Number.POSITIVE_INFINITY;
  const add = (segments: readonly Segment[]) => {
    if (size + sizeOf(segments) > limit) {
      groups.push([]);
      size = 0;
    }
    for (const segment of segments) groups.at(-1)?.push(segment);
    size += sizeOf(segments);
  };
  for (const segments of packages.values()) {
    if (sizeOf(segments) <= limit) add(segments);
    else for (const segment of segments) if (sizeOf([segment]) <= limit) add([segment]);
  }
  return groups;
}

/** Reads some segments; the others are blank, so that places are the same. */
function readPart(text: string, kept: readonly Segment[], ownText: string): Part {
  const part = withOnly(text, kept);
  const { program, error } = parseWithMeriyah(part) ?? {};
  if (!program)
    return { facts: { fault: error?.kind === 'target' ? error : undefined, analysis: undefined }, provided: [] };
  const analysis = analyzeProgram(program, part, ownText);
  return { facts: { fault: undefined, analysis }, provided: [...declaredIn(program), ...analysis.globalsSet] };
}

function withOnly(text: string, kept: readonly Segment[]): string {
  let at = 0;
  const pieces = [...kept]
    .sort((a, b) => a.start - b.start)
    .map(({ start, end }) => {
      const piece = blank(text.slice(at, start)) + text.slice(start, end);
      at = end;
      return piece;
    });
  return pieces.join('') + blank(text.slice(at));
}

const blank = (text: string) => text.replace(/[^\n\r\u2028\u2029]+/g, (line) => ' '.repeat(line.length));

const declaredIn = ({ body }: Program): string[] =>
  body.flatMap((node) => {
    if (node.type === 'VariableDeclaration')
      return node.declarations.flatMap(({ id }) => listBindingIdentifiers(id)).map(({ name }) => name);
    return node.type === 'FunctionDeclaration' || node.type === 'ClassDeclaration' ? node.id.name : [];
  });

function lackingIn(parts: readonly Part[]): MissingApi[] {
  const provided = new Set(parts.flatMap((part) => part.provided));
  const all = parts.flatMap(({ facts }) => facts.analysis?.missingApis ?? []);
  return all.filter(({ kind, what }) => kind !== 'global' || !provided.has(what)).sort((a, b) => a.at - b.at);
}

/** Guards count in all of a package: where it is split, in the parts that are read apart too. */
function isAsked({ kind, what, packageName = '' }: MissingApi, texts: ReadonlyMap<string, string>): boolean {
  const text = kind === 'global' ? texts.get(packageName) : undefined;
  return text !== undefined && new RegExp(`typeof (?:globalThis\\.|global\\.)?${what}\\b`).test(text);
}
