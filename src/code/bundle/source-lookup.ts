/** Maps a bundle to its sources. */
import { SourceMap, type SourceMapPayload } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { SourceLocation } from './messages.ts';
import type { Sources } from './sources.ts';

export interface SourceLookup {
  /** The texts of the sources, by file. */
  sources: ReadonlyMap<string, string>;
  /** The source of a position; undefined for code that the bundler added. */
  sourcePosition(position: { line: number; column: number }): SourceLocation | undefined;
  /** The source map as JSON, with the texts of the sources and their URLs in the real `folder`. */
  sourceMap(folder: string): string;
}

export function createSourceLookup(payload: SourceMapPayload, { byKey, texts }: Sources): SourceLookup {
  const map = new SourceMap(payload);
  const files = payload.sources.flatMap((source) => byKey.get(source)?.file ?? []);
  return {
    sources: new Map(files.map((file) => [file, texts.get(file) ?? ''])),
    sourcePosition: ({ line, column }) => {
      const found = map.findEntry(line - 1, column - 1);
      const input = 'originalSource' in found ? byKey.get(found.originalSource) : undefined;
      if (!input || !('originalSource' in found)) return undefined;
      return { file: input.file, line: found.originalLine + 1, column: found.originalColumn + 1 };
    },
    sourceMap: (folder) => {
      const inputs = payload.sources.map((source) => byKey.get(source)?.file ?? source);
      const sources = inputs.map((file) => pathToFileURL(join(folder, file)).href);
      return JSON.stringify({ ...payload, sources, sourcesContent: inputs.map((file) => texts.get(file) ?? null) });
    },
  };
}
