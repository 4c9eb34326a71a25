/** Locates the import of an input, for findings without a location of esbuild. */
import { positionAt } from '../../text/source-position.ts';
import type { SourceLocation } from './messages.ts';

export interface Importer {
  file: string;
  specifier: string;
}

/** The specifier in the first importing file; otherwise the top of that file. */
export function locateImport(importers: readonly Importer[], texts: ReadonlyMap<string, string>): SourceLocation {
  const [first = { file: '', specifier: '' }] = [...importers].sort((a, b) => (a.file < b.file ? -1 : 1));
  const text = texts.get(first.file) ?? '';
  const at = ["'", '"', '`']
    .map((quote) => text.indexOf(quote + first.specifier + quote))
    .find((offset) => offset >= 0);
  return { file: first.file, ...positionAt(text, at ?? 0) };
}
