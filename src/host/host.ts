/** The interface to the process and its environment, which tests replace. */

export interface OutputStream {
  write(text: string): void;
  isTerminal: boolean;
  hasColor: boolean;
  columns: number;
}

/** A stream that redacts all output. */
interface RedactingStream extends OutputStream {
  /** Writes formula content, which is only redacted where it certainly contains a secret. */
  writeContent(text: string): void;
  /** Redacts a text before it is truncated. */
  redact(text: string): string;
}

/** Redacts secrets in a text; with `isContent`, only certain matches. */
export type Redactor = (text: string, isContent?: boolean) => string;

export interface Question {
  message: string;
  /** The default answer. */
  initial: string;
  /** The default answer as it is shown: escaped. */
  placeholder?: string;
  /** Returns an error message for an invalid answer. */
  validate(answer: string): string | undefined;
  /** The allowed answers, if limited. */
  options?: readonly { value: string; hint: string }[];
}

export interface Host {
  /** The current folder. Throws the file system's error if it was removed. */
  cwd(): string;
  env: Readonly<Record<string, string | undefined>>;

  home: string | undefined;
  stdout: RedactingStream;
  stderr: RedactingStream;
  /** All of standard input. Raises usage (2) above 64 MiB. */
  readStdin(): Promise<Buffer>;
  stdinIsTerminal: boolean;
  /** Whether stdin and stderr are terminals, so that prompts are possible. */
  canAsk: boolean;
  /** Prompts for a line on stderr; undefined at the end of input. Prints escape sequences only if `canMoveCursor`. */
  ask(question: string, canMoveCursor: boolean): Promise<string | undefined>;
  /** The same with hidden input; requires a terminal as standard input. */
  askHidden(question: string): Promise<string | undefined>;
  /** Whether the width of the terminal is known, which `prompt` requires. */
  canDrawPrompt: boolean;
  /** Prompts with an editable line or a list, using escape sequences. Raises interrupted on Ctrl-C. */
  prompt(question: Question): Promise<string | undefined>;
  now(): Date;
  /** Waits, at most until the signal is aborted. */
  sleep(milliseconds: number, until?: AbortSignal): Promise<void>;
  /** Calls `work` at this interval until the returned function is called; does not keep the process alive. */
  runEvery(milliseconds: number, work: () => void): () => void;
  /**
   * Aborted by the first SIGINT or SIGTERM after `installSignalHandlers`, with the signal's name as its reason: sleeps
   * end, no new requests start, and those in flight finish.
   */
  abortSignal: AbortSignal;
  /**
   * From now on the first signal aborts `abortSignal`, and the second ends the process; without it, any signal ends the
   * process. Returns false if it was already called.
   */
  installSignalHandlers(): boolean;
  /** Identifies this process to others on this computer: `pid start-time computer`. */
  getProcessIdentity(): string;
  /** Whether a process is running; undefined if unknown, as on another computer or in another container. */
  isAlive(identity: string): boolean | undefined;
  platform: string;
  nodeVersion: string;
  /** The effective user id; undefined on Windows. */
  userId: number | undefined;
  /** The ids of all groups of the process; empty on Windows. */
  groupIds: readonly number[];
  /** The path of the Node.js that runs the tool. */
  nodePath: string;
  /** Applies all redactors to a text that is written elsewhere than to the streams. */
  redact: Redactor;
  /** Redacts all further output with this function too. */
  addRedactor(redactor: Redactor): void;
}

/** The host before redaction is added. */
export type RawHost = Omit<Host, 'addRedactor' | 'redact' | 'stdout' | 'stderr'> & {
  stdout: OutputStream;
  stderr: OutputStream;
};

/** Adds redaction to the streams of a host. */
export function withRedaction(rawHost: RawHost): Host {
  const redactors: Redactor[] = [];
  const redact = (text: string, isContent?: boolean) =>
    redactors.reduce((redacted, redactor) => redactor(redacted, isContent), text);
  const toRedactingStream = (stream: OutputStream): RedactingStream => ({
    ...stream,
    write: (text) => stream.write(redact(text)),
    writeContent: (text) => stream.write(redact(text, true)),
    redact,
  });
  return withOverrides(rawHost, {
    stdout: toRedactingStream(rawHost.stdout),
    stderr: toRedactingStream(rawHost.stderr),
    redact,
    addRedactor: (redactor: Redactor) => redactors.push(redactor),
  });
}

/** A copy with some properties replaced; getters stay lazy. */
export const withOverrides = <W extends object, P extends object>(base: W, overrides: P): Omit<W, keyof P> & P =>
  Object.defineProperties(
    {},
    { ...Object.getOwnPropertyDescriptors(base), ...Object.getOwnPropertyDescriptors(overrides) },
  ) as Omit<W, keyof P> & P;

/** The environment variables that contain keys. */
export const KEY_VARIABLES = ['FORMULARY_API_KEY', 'FORMULARY_SERVICE_KEY'] as const;
