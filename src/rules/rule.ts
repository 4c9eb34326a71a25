/** The type of rules: an id, a level, and a pure function from a formula to its problems. */
import type { CodeFacts } from '../code/analysis.ts';
import type { BundleProblem } from '../code/bundle/bundle.ts';
import type { Manifest } from '../folder/manifest.ts';
import type { FolderContents } from '../folder/read.ts';
import type { Position } from '../text/source-position.ts';

export type Level = 'error' | 'warning' | 'note';

/** The input of a rule: the folder's contents, and the parsed manifest and code if they could be read. */
export interface Subject {
  contents: FolderContents;
  manifest: Manifest | undefined;
  /** The code that is sent; for code.ts and code.mjs the bundle, whose findings are mapped to the sources. */
  code: { file: string; text: string; facts: CodeFacts } | undefined;
  /** The sources of the bundle, by file; undefined for code.js. */
  sources: ReadonlyMap<string, string> | undefined;
  /** The versions of Node.js that bundled packages support. */
  nodeRanges: ReadonlyMap<string, string>;
  bundleProblems: readonly BundleProblem[];
}

/** A problem: its location, the message, and optionally the fix. */
export interface Problem {
  file: string;
  position: Position;
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
  check(subject: Subject): Problem[];
}

/** A problem with its rule, in the shape of the `--json` output. */
export interface Finding extends Position {
  file: string;
  level: Level;
  rule: string;
  message: string;
  fix?: string;
}
