/** What a rule is: a name, a level, and a pure function from a formula to the problems it has. */

import type { CodeFacts } from '../code/analysis.ts';
import type { BundleProblem } from '../code/bundle/bundle.ts';
import type { Manifest } from '../folder/manifest.ts';
import type { FolderContents } from '../folder/read.ts';
import type { Position } from '../text/source-position.ts';

export type Level = 'error' | 'warning' | 'note';

/** One formula as the rules see it: what the folder holds, and what is known of its two texts where they could be read. */
export interface Subject {
  contents: FolderContents;
  manifest: Manifest | undefined;
  /** What is sent: of code.ts and code.mjs the bundle; findings in it are shown where they come from. */
  code: { file: string; text: string; facts: CodeFacts } | undefined;
  /** What the code was bundled from, by file; undefined for code.js. */
  sources: ReadonlyMap<string, string> | undefined;
  /** The versions of Node.js that bundled packages support. */
  nodeRanges: ReadonlyMap<string, string>;
  bundleProblems: readonly BundleProblem[];
}

/** What a rule found: where, what was found and what is wanted, and (`fix`) what to type instead. */
export interface Problem {
  file: string;
  position: Position;
  message: string;
  fix?: string;
  /** Where one rule has two levels; else the rule's own. */
  level?: Level;
}

export interface Rule {
  id: string;
  level: Level;
  /** One sentence for the documentation: what is found. */
  description: string;
  /** Whether its places are those of the sources also where the code was bundled. */
  usesSourceLocations?: true;
  check(subject: Subject): Problem[];
}

/** A problem under its rule's name, flat as it is printed and as `--json` shows it. */
export interface Finding extends Position {
  file: string;
  level: Level;
  rule: string;
  message: string;
  fix?: string;
}
