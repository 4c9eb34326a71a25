/** The outside world as a value: working folder, environment, streams, clock, and signals. */

/** A stream that text goes to; `columns` is set on a terminal only. */
export interface Sink {
  write(text: string): void;
  isTerminal: boolean;
  hasColour: boolean;
  columns: number;
}

/** A stream whose text is guarded: what is to be hidden is hidden in all that is written. */
export interface GuardedSink extends Sink {
  /** Writes the content of a formula, which is kept byte for byte unless a secret stands in it beyond doubt. */
  writeContent(text: string): void;
  /** Hides what is to be hidden, for a text that will be cut before it is written. */
  hide(text: string): string;
}

/** Takes secrets out of a text; `isContent`: only those that stand in it beyond doubt. */
export type Filter = (text: string, isContent?: boolean) => string;

/** A question with the answer that is proposed; `check` says what is wrong with another. */
export interface Question {
  message: string;
  initial: string;
  check(answer: string): string | undefined;
  /** Where the answer is one of several. */
  options?: readonly { value: string; label: string; hint: string }[];
}

export interface Host {
  /** The working folder; throws the file system's error when it is gone. */
  cwd(): string;
  env: Readonly<Record<string, string | undefined>>;
  /** The home folder, or undefined where there is none. */
  home: string | undefined;
  stdout: GuardedSink;
  stderr: GuardedSink;
  /** All of standard input as text. */
  readStdin(): Promise<string>;
  stdinIsTerminal: boolean;
  /** True where a person can be asked. */
  canAsk: boolean;
  /** Asks on stderr and waits for a line; undefined when the input ends first. Sends escape sequences only if `canMoveCursor`. */
  ask(question: string, canMoveCursor: boolean): Promise<string | undefined>;
  /** The same without showing what is typed, which needs a terminal as standard input. */
  askHidden(question: string): Promise<string | undefined>;
  /** True where the terminal that is asked on says how wide it is. */
  canDraw: boolean;
  /** The same with a line to edit or a list to choose from, drawn with escape sequences. Raises interrupted for Ctrl-C. */
  prompt(question: Question): Promise<string | undefined>;
  now(): Date;
  /** Waits, at most until the signal, where one is given. */
  sleep(milliseconds: number, until?: AbortSignal): Promise<void>;
  /** Does `work` every so many milliseconds, until the function that it returns is called; keeps no process alive. */
  repeat(milliseconds: number, work: () => void): () => void;
  /**
   * Aborted, with the signal's name as its reason, by the first SIGINT or SIGTERM after `catchSignals`: what waits
   * ends its wait, no request is begun any more, and those in flight are waited for.
   */
  stopping: AbortSignal;
  /**
   * From now on the first signal aborts `stopping`, and the second ends the process; before, any signal ends it.
   * False when this was said already.
   */
  catchSignals(): boolean;
  /** Resolves with the name of the first SIGINT or SIGTERM that comes after the call. */
  stopSignal(): Promise<'SIGINT' | 'SIGTERM'>;
  /** Names this process for others of this machine, as `pid start-time machine`. */
  mark(): string;
  /** Whether the process of a mark is still running; undefined where that cannot be told, as for one of another machine or container. */
  isRunning(mark: string): boolean | undefined;
  platform: string;
  nodeVersion: string;
  /** Id of the user whose rights this process has; undefined where there is no such thing. */
  user: number | undefined;
  /** Ids of the groups whose rights it has; none where there is no such thing. */
  groups: readonly number[];
  /** The path of the Node.js that runs the tool. */
  nodePath: string;
  /** What the filters of `hide` leave of a text; for what is written elsewhere than to the streams. */
  hidden: Filter;
  /** From now on all that is written goes through this filter too. */
  hide(filter: Filter): void;
}

/** The world before it is guarded. */
export type World = Omit<Host, 'hide' | 'hidden' | 'stdout' | 'stderr'> & { stdout: Sink; stderr: Sink };

/** The last filter on all output: whatever a command writes goes through what it asked to hide. */
export function guardedHost(world: World): Host {
  const filters: Filter[] = [];
  const hidden = (text: string, isContent?: boolean) =>
    filters.reduce((shown, filter) => filter(shown, isContent), text);
  const guarded = (stream: Sink): GuardedSink => ({
    ...stream,
    write: (text) => stream.write(hidden(text)),
    writeContent: (text) => stream.write(hidden(text, true)),
    hide: hidden,
  });
  return over(world, {
    stdout: guarded(world.stdout),
    stderr: guarded(world.stderr),
    hidden,
    hide: (filter: Filter) => filters.push(filter),
  });
}

/** A copy with some values replaced, where the others are still worked out only when they are read. */
export const over = <W extends object, P extends object>(world: W, parts: P): Omit<W, keyof P> & P =>
  Object.defineProperties(
    {},
    { ...Object.getOwnPropertyDescriptors(world), ...Object.getOwnPropertyDescriptors(parts) },
  ) as Omit<W, keyof P> & P;

/** The variables that hold keys. */
export const KEY_VARIABLES = ['FORMULARY_API_KEY', 'FORMULARY_SERVICE_KEY'] as const;
