/** The type of rules: an id, a level, and a pure function from a formula to its findings. */
import type { CodeFacts } from '../code/analysis.ts';
import type { BundleProblem, SourceLocation } from '../code/bundle/bundle.ts';
import type { Manifest } from '../folder/manifest.ts';
import type { FolderContents, UnreadFile } from '../folder/read.ts';
import type { JsonPath } from '../text/json-with-positions.ts';
import { codePositionAt } from '../text/source-position.ts';

export type Level = BundleProblem['level'];

/** The code that is sent; for code.ts and code.mjs the bundle, whose findings are mapped to the sources. */
export interface CheckedCode {
  file: string;
  text: string;
  facts: CodeFacts;
}

/** The input of a rule: the folder's contents, and the parsed manifest and code if they could be read. */
export interface Subject {
  contents: FolderContents;
  manifest: Manifest | undefined;
  code: CheckedCode | undefined;
  /** The sources of the bundle, by file; undefined for code.js. */
  sources: ReadonlyMap<string, string> | undefined;
  /** The versions of Node.js that bundled packages support. */
  nodeRanges: ReadonlyMap<string, string>;
  bundleProblems: readonly BundleProblem[];
}

/** A finding of a rule: its location, the message, and optionally the fix. */
export interface RuleFinding extends SourceLocation {
  message: string;
  fix?: string;
  /** Overrides the level of the rule. */
  level?: Level;
}

export interface Rule {
  id: string;
  level: Level;
  /** One sentence for the documentation. */
  description: string;
  /** Whether its positions already refer to the sources if the code is bundled. */
  usesSourceLocations?: true;
  check(subject: Subject): RuleFinding[];
}

/** A finding with its rule, in the shape of the `--json` output. */
export interface Finding extends RuleFinding {
  level: Level;
  rule: string;
}

/** A function that computes its result once for each object, because several rules need it. */
export function once<Key extends object, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const cache = new WeakMap<Key, Value>();
  return (key) => {
    const value = cache.get(key) ?? compute(key);
    cache.set(key, value);
    return value;
  };
}

type Details = Pick<RuleFinding, 'fix' | 'level'>;

/** A finding of a complete file. */
export function createFileFinding(file: string, message: string, details?: Details): RuleFinding {
  return { file, line: 1, column: 1, message, ...details };
}

/** A finding at the value of a path in manifest.json. */
export function createManifestFinding(manifest: Manifest, path: JsonPath, message: string, details?: Details) {
  return { file: 'manifest.json', ...manifest.locate(path), message, ...details };
}

/** A finding at an offset of the code. */
export function createCodeFinding({ file, text }: CheckedCode, offset: number, message: string, details?: Details) {
  return { file, ...codePositionAt(text, offset), message, ...details };
}

/** The finding for a required file that could not be read; `names` are those that it can have. */
export function createMissingFinding(
  read: UnreadFile,
  names: string,
  { folder, entries }: FolderContents,
  fix?: string,
) {
  if (read.state === 'not-regular')
    return createFileFinding(read.file, `${read.file} must be a regular file (got ${read.found})`);
  if (read.state === 'unreadable') return createFileFinding(read.file, `could not read ${read.file}: ${read.reason}`);
  const found = entries.slice(0, 8).map(({ name }) => name);
  const message = `no ${names} in ${folder} (found: ${found.join(', ') || 'nothing'})`;
  return createFileFinding(read.file, message, fix === undefined ? {} : { fix });
}
