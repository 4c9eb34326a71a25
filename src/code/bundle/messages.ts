/** Converts esbuild's messages to problems. */
import type { Message } from 'esbuild';
import type { Position } from '../../text/source-position.ts';

/** A position in a file, relative to the formula's folder; line and column from 1. */
export interface SourceLocation extends Position {
  file: string;
}

/** A problem of the sources. */
export interface BundleProblem extends SourceLocation {
  level: 'error' | 'warning' | 'note';
  message: string;
  fix?: string;
}

/** The reason why a file cannot be bundled, for a finding at the import, or where `detail` says. */
export class BundleError extends Error {
  readonly detail: Partial<BundleProblem> & { message: string };

  constructor(message: string, detail: Partial<BundleProblem> = {}) {
    super(message);
    this.detail = { ...detail, message };
  }
}

export const ENTRY = 'formula';

export const describeMissingExport = (file: string) => ({
  message: `${file} must have a default export: the function that the service calls`,
  fix: 'Write: export default async …',
});

/** `findFile`: the file of a name of esbuild. Messages without a file belong to the code file. */
export function toBundleProblem(
  { text, location, detail }: Message,
  file: string,
  level: BundleProblem['level'],
  findFile: (name: string) => string | undefined,
): BundleProblem {
  // A message about the entry is about the export of the code file.
  const source = location && location.file !== ENTRY ? findFile(location.file) : undefined;
  const sourceLocation =
    location && source !== undefined
      ? { file: source, line: location.line, column: toCharacterColumn(location) }
      : { file, line: 1, column: 1 };
  const known = MESSAGES.find(([pattern]) => pattern.test(text));
  return { ...sourceLocation, level, message: text, ...(detail ?? known?.[1](text, file)) };
}

/** esbuild counts columns in bytes. */
export const toCharacterColumn = ({ lineText, column }: { lineText: string; column: number }): number =>
  Buffer.from(lineText).subarray(0, column).toString().length + 1;

export const JSX = 'this looks like JSX, which Node.js cannot run';

type FormatMessage = (text: string, file: string) => { message: string; fix?: string };

const MESSAGES: readonly [RegExp, FormatMessage][] = [
  [/^No matching export in .* for import "default"/, (_, file) => describeMissingExport(file)],
  [/^The JSX syntax extension is not currently enabled/, () => ({ message: JSX })],
  [
    /^Top-level await/,
    () => ({
      message: 'await outside a function is not possible in a CommonJS script',
      fix: 'Move the await into the function: export default async …',
    }),
  ],
  [
    /^Cannot find base config file/,
    (text) => ({ message: `cannot find ${/".*"$/.exec(text)?.[0]}, which this file extends` }),
  ],
];
