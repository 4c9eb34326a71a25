/** esbuild's messages in the words of a finding. */
import type { Message } from 'esbuild';

/** A place in a file of the formula, relative to its folder; line and column count from 1. */
export interface SourcePlace {
  file: string;
  line: number;
  column: number;
}

/** What is wrong with the sources, or worth a warning or note. */
export interface BundleFault extends SourcePlace {
  level: 'error' | 'warning' | 'note';
  message: string;
  fix?: string;
}

export const ENTRY = 'formula';

export const noExport = (file: string) => ({
  message: `${file} must have a default export: the function that the service calls`,
  fix: 'Write: export default async …',
});

/** `fileOf` gives the file of a name that esbuild uses; what has none belongs to the code file. */
export function faultOf(
  { text, location, detail }: Message,
  file: string,
  level: BundleFault['level'],
  fileOf: (name: string) => string | undefined,
): BundleFault {
  const place = placeOf(location, file, fileOf);
  if (detail) return { ...place, level, ...detail };
  for (const [pattern, say] of WORDS) {
    const match = pattern.exec(text);
    if (match) return { ...place, level, ...say(match[1] ?? '', file) };
  }
  return { ...place, level, message: text };
}

/** What is wrong with the entry is a wrong export of the file that it imports. */
export function placeOf(
  location: Message['location'],
  file: string,
  fileOf: (name: string) => string | undefined,
): SourcePlace {
  const source = location && location.file !== ENTRY ? fileOf(location.file) : undefined;
  return location && source !== undefined
    ? { file: source, line: location.line, column: columnOf(location) }
    : { file, line: 1, column: 1 };
}

/** esbuild counts columns in bytes. */
export const columnOf = ({ lineText, column }: { lineText: string; column: number }): number =>
  Buffer.from(lineText).subarray(0, column).toString().length + 1;

type Words = (name: string, file: string) => { message: string; fix?: string };

const WORDS: readonly [RegExp, Words][] = [
  [/^No matching export in .* for import "default"/, (_, file) => noExport(file)],
  [
    /^The JSX syntax extension is not currently enabled/,
    () => ({ message: 'this looks like JSX, which Node.js cannot run' }),
  ],
  [
    /^Top-level await/,
    () => ({
      message: 'there is an await outside a function, which a CommonJS script cannot have',
      fix: 'move the await into the function: export default async …',
    }),
  ],
];
