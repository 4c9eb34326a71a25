/** Maps a bundle to its sources. */
import { SourceMap, type SourceMapPayload } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Position } from '../../text/source-position.ts';
import { type Input, NAMESPACE } from './input.ts';
import type { SourceLocation } from './messages.ts';
import type { Sources } from './sources.ts';

export type SourceLookup = ReturnType<typeof createSourceLookup>;

export function createSourceLookup(payload: SourceMapPayload, { findInput, texts }: Sources) {
  const map = new SourceMap(payload);
  const files = payload.sources.flatMap((source) => findInput(source)?.file ?? []);
  return {
    /** The texts of the sources, by file. */
    sources: new Map(files.map((file) => [file, texts.get(file) ?? ''])),
    /** The source of a position; undefined for code that the bundler added. */
    sourcePosition: ({ line, column }: Position): SourceLocation | undefined => {
      const found = map.findEntry(line - 1, column - 1);
      const input = 'originalSource' in found ? findInput(found.originalSource) : undefined;
      if (!input || !('originalSource' in found)) return undefined;
      return { file: input.file, line: found.originalLine + 1, column: found.originalColumn + 1 };
    },
    /** The source map as JSON, with the texts of the sources and their URLs in the real `folder`. */
    sourceMap: (folder: string): string => {
      const inputs = payload.sources.map((source) => findInput(source)?.file ?? source);
      const sources = inputs.map((file) => pathToFileURL(join(folder, file)).href);
      return JSON.stringify({ ...payload, sources, sourcesContent: inputs.map((file) => texts.get(file) ?? null) });
    },
  };
}

const LICENSES = '/*! Bundled license information:';

/** Replaces the names for esbuild by display names, and normalizes line ends, which occur only in comments. */
export function replaceModuleNames(code: string, byKey: ReadonlyMap<string, Input>): string {
  const named = code
    .replaceAll('\r\n', '\n')
    .replace(new RegExp(`${NAMESPACE}:[^"\\n]*`, 'g'), (key) => byKey.get(key)?.displayName ?? key);
  const at = named.lastIndexOf(LICENSES);
  if (at < 0) return named;
  const toPackagePath = (name: string) => name.slice(name.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const displayNames = new Map(
    [...byKey.values()].map((input) => [toPackagePath(input.esbuildName), toPackagePath(input.displayName)]),
  );
  return named.slice(0, at) + named.slice(at).replace(/^(\S.*)(?=:$)/gm, (name) => displayNames.get(name) ?? name);
}
