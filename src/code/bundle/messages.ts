/** esbuild's messages in the words of a finding. */
import type { Message } from 'esbuild';

/** A place in a file of the formula, relative to its folder; line and column count from 1. */
export interface SourceLocation {
  file: string;
  line: number;
  column: number;
}

/** What is wrong with the sources, or worth a warning or note. */
export interface BundleProblem extends SourceLocation {
  level: 'error' | 'warning' | 'note';
  message: string;
  fix?: string;
}

export const ENTRY = 'formula';

export const describeMissingExport = (file: string) => ({
  message: `${file} must have a default export: the function that the service calls`,
  fix: 'Write: export default async …',
});

/** `fileOf` gives the file of a name that esbuild uses; what has none belongs to the code file. */
export function toBundleProblem(
  { text, location, detail }: Message,
  file: string,
  level: BundleProblem['level'],
  findFile: (name: string) => string | undefined,
): BundleProblem {
  const sourceLocation = toSourceLocation(location, file, findFile);
  if (detail) return { ...sourceLocation, level, ...detail };
  for (const [pattern, format] of MESSAGES) {
    const match = pattern.exec(text);
    if (match) return { ...sourceLocation, level, ...format(match[1] ?? '', file) };
  }
  return { ...sourceLocation, level, message: text };
}

/** What is wrong with the entry is a wrong export of the file that it imports. */
export function toSourceLocation(
  location: Message['location'],
  file: string,
  findFile: (name: string) => string | undefined,
): SourceLocation {
  const source = location && location.file !== ENTRY ? findFile(location.file) : undefined;
  return location && source !== undefined
    ? { file: source, line: location.line, column: toCharacterColumn(location) }
    : { file, line: 1, column: 1 };
}

/** esbuild counts columns in bytes. */
const toCharacterColumn = ({ lineText, column }: { lineText: string; column: number }): number =>
  Buffer.from(lineText).subarray(0, column).toString().length + 1;

type FormatMessage = (name: string, file: string) => { message: string; fix?: string };

const MESSAGES: readonly [RegExp, FormatMessage][] = [
  [/^No matching export in .* for import "default"/, (_, file) => describeMissingExport(file)],
  [
    /^The JSX syntax extension is not currently enabled/,
    () => ({ message: 'this looks like JSX, which Node.js cannot run' }),
  ],
  [
    /^Top-level await/,
    () => ({
      message: 'await outside a function is not possible in a CommonJS script',
      fix: 'Move the await into the function: export default async …',
    }),
  ],
];
