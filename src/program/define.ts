/** The shape of a command module, and of the table that names them all. */
import type { Command } from '@commander-js/extra-typings';
import type { Outcome } from '../errors.ts';
import type { Host } from '../host/host.ts';

/** The tree of commands; of the one that the words name, the flags are in it too. */
type BuildCommandTree = (args: readonly string[]) => Promise<Command>;

/** Makes a command of a bare one: its arguments, flags and help, and `run` as its action. */
export type DefineCommand = (
  command: Command,
  host: Host,
  setOutcome: (outcome: Outcome) => void,
  buildTree: BuildCommandTree,
) => void;

export interface Verb {
  summary: string;
  load(): Promise<DefineCommand>;
}

export interface Noun {
  summary: string;
  verbs: Record<string, Verb | Noun>;
}
