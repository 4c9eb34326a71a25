/** The types of a command module and of the command table. */
import type { Command } from '@commander-js/extra-typings';
import type { CommandOutcome, Outcome } from '../errors.ts';
import type { Host } from '../host/host.ts';

/** The part of a commander command that help and completion need. */
export interface CommandHelp {
  readonly options: readonly {
    /** The declaration: `-o, --output <format>`. */
    flags: string;
    long?: string | undefined;
    short?: string | undefined;
    description: string;
    /** Whether it has a value. */
    required: boolean;
    variadic: boolean;
    /** The help heading of a shared flag. */
    helpGroupHeading?: string | undefined;
  }[];
  readonly registeredArguments: readonly {
    required: boolean;
    variadic: boolean;
    description: string;
    name(): string;
  }[];
}

/** Builds the command, or the part of one, that the words begin with. */
export type LoadCommand = (
  words: readonly string[],
) => Promise<CommandHelp & { path: readonly string[]; verbs: Noun['verbs'] }>;

/** Adds the description, arguments, flags, and action to an empty command. */
export type DefineCommand = (
  command: Command,
  host: Host,
  setOutcome: (outcome: CommandOutcome) => void,
  load: LoadCommand,
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
  /** What follows the command, for its help. */
  examples: readonly string[];
  load(): Promise<DefineCommand>;
}

export interface Noun {
  summary: string;
  verbs: Record<string, Verb | Noun>;
}
