/** The types of a command module and of the command table. */
import type { Command } from '@commander-js/extra-typings';
import type { CommandOutcome, Outcome } from '../errors.ts';
import type { Host } from '../host/host.ts';

/** Builds the command tree, with the arguments and flags of the command in `args`. */
type BuildCommandTree = (args: readonly string[]) => Promise<Command>;

/** Adds the description, arguments, flags, and action to an empty command. */
export type DefineCommand = (
  command: Command,
  host: Host,
  setOutcome: (outcome: CommandOutcome) => void,
  buildTree: BuildCommandTree,
) => void;

export interface Verb {
  summary: string;
  /** `service`: formulas on a service, which read-only mode prevents; `files`: local files, also those of a flag. */
  writes: 'service' | 'files' | 'nothing';
  /** Permissions that the key needs; some for only a part of what the command does. */
  permissions?: readonly string[];
  /** In addition to those of every command: ok, usage, bug, and interrupted. */
  exitCodes: readonly Outcome[];
  /** The schema of the document of --json: schema/NAME.schema.json. */
  result?: string;
  load(): Promise<DefineCommand>;
}

export interface Noun {
  summary: string;
  verbs: Record<string, Verb | Noun>;
}
