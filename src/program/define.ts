/** The shape of a command module, and of the table that names them all. */
import type { Command } from '@commander-js/extra-typings';
import type { Outcome } from '../errors.ts';
import type { Host } from '../host/host.ts';

/** The tree of commands; of the one that the words name, the flags are in it too. */
type TreeFor = (words: readonly string[]) => Promise<Command>;

/** Makes a command of a bare one: its arguments, flags and help, and `run` as its action. */
export type Define = (command: Command, host: Host, end: (outcome: Outcome) => void, treeFor: TreeFor) => void;

export interface Verb {
  about: string;
  load(): Promise<Define>;
}

export interface Noun {
  about: string;
  verbs: Record<string, Verb | Noun>;
}
