/** The outside world as a value: working folder, environment, streams, clock, and signals. */

/** A stream that text goes to; `columns` is set on a terminal only. */
export interface OutputStream {
  write(text: string): void;
  isTerminal: boolean;
  hasColor: boolean;
  columns: number;
}

/** A stream whose text is guarded: what is to be hidden is hidden in all that is written. */
export interface RedactingStream extends OutputStream {
  /** Writes the content of a formula, which is kept byte for byte unless a secret stands in it beyond doubt. */
  writeContent(text: string): void;
  /** Hides what is to be hidden, for a text that will be cut before it is written. */
  redact(text: string): string;
}

/** Takes secrets out of a text; `isContent`: only those that stand in it beyond doubt. */
export type Redactor = (text: string, isContent?: boolean) => string;

/** A question with the answer that is proposed; `check` says what is wrong with another. */
export interface Question {
  message: string;
  initial: string;
  validate(answer: string): string | undefined;
  /** Where the answer is one of several. */
  options?: readonly { value: string; label: string; hint: string }[];
}

export interface Host {
  /** The working folder; throws the file system's error when it is gone. */
  cwd(): string;
  env: Readonly<Record<string, string | undefined>>;
  /** The home folder, or undefined where there is none. */
  home: string | undefined;
  stdout: RedactingStream;
  stderr: RedactingStream;
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
  canDrawPrompt: boolean;
  /** The same with a line to edit or a list to choose from, drawn with escape sequences. Raises interrupted for Ctrl-C. */
  prompt(question: Question): Promise<string | undefined>;
  now(): Date;
  /** Waits, at most until the signal, where one is given. */
  sleep(milliseconds: number, until?: AbortSignal): Promise<void>;
  /** Does `work` every so many milliseconds, until the function that it returns is called; keeps no process alive. */
  runEvery(milliseconds: number, work: () => void): () => void;
  /**
   * Aborted, with the signal's name as its reason, by the first SIGINT or SIGTERM after `catchSignals`: what waits
   * ends its wait, no request is begun any more, and those in flight are waited for.
   */
  abortSignal: AbortSignal;
  /**
   * From now on the first signal aborts `stopping`, and the second ends the process; before, any signal ends it.
   * False when this was said already.
   */
  installSignalHandlers(): boolean;
  /** Resolves with the name of the first SIGINT or SIGTERM that comes after the call. */
  waitForSignal(): Promise<'SIGINT' | 'SIGTERM'>;
  /** Names this process for others of this machine, as `pid start-time machine`. */
  getProcessIdentity(): string;
  /** Whether the process of a mark is still running; undefined where that cannot be told, as for one of another machine or container. */
  isAlive(identity: string): boolean | undefined;
  platform: string;
  nodeVersion: string;
  /** Id of the user whose rights this process has; undefined where there is no such thing. */
  userId: number | undefined;
  /** Ids of the groups whose rights it has; none where there is no such thing. */
  groupIds: readonly number[];
  /** The path of the Node.js that runs the tool. */
  nodePath: string;
  /** What the filters of `hide` leave of a text; for what is written elsewhere than to the streams. */
  redact: Redactor;
  /** From now on all that is written goes through this filter too. */
  addRedactor(redactor: Redactor): void;
}

/** The world before it is guarded. */
export type RawHost = Omit<Host, 'addRedactor' | 'redact' | 'stdout' | 'stderr'> & {
  stdout: OutputStream;
  stderr: OutputStream;
};

/** The last filter on all output: whatever a command writes goes through what it asked to hide. */
export function withRedaction(rawHost: RawHost): Host {
  const redactors: Redactor[] = [];
  const redact = (text: string, isContent?: boolean) =>
    redactors.reduce((shown, filter) => filter(shown, isContent), text);
  const toRedactingStream = (stream: OutputStream): RedactingStream => ({
    ...stream,
    write: (text) => stream.write(redact(text)),
    writeContent: (text) => stream.write(redact(text, true)),
    redact: redact,
  });
  return withOverrides(rawHost, {
    stdout: toRedactingStream(rawHost.stdout),
    stderr: toRedactingStream(rawHost.stderr),
    redact,
    addRedactor: (filter: Redactor) => redactors.push(filter),
  });
}

/** A copy with some values replaced, where the others are still worked out only when they are read. */
export const withOverrides = <W extends object, P extends object>(base: W, overrides: P): Omit<W, keyof P> & P =>
  Object.defineProperties(
    {},
    { ...Object.getOwnPropertyDescriptors(base), ...Object.getOwnPropertyDescriptors(overrides) },
  ) as Omit<W, keyof P> & P;

/** The variables that hold keys. */
export const KEY_VARIABLES = ['FORMULARY_API_KEY', 'FORMULARY_SERVICE_KEY'] as const;
