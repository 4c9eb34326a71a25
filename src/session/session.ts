/** The session of a command: its output, connection, and write lock, set up from the flags. */
import { CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { escapeControls } from '../output/escape.ts';
import type { View } from '../output/formats.ts';
import { wrapMessage } from '../output/wrap-message.ts';
import { resolveTarget, type ServiceFlags } from '../settings/resolve-target.ts';
import type { HistoryFlags, HistoryRun, SaveVersion } from '../state/history.ts';
import { type Connection, openConnection, type RequestOptions } from './connection.ts';
import { createNotePrinter, createPrinter, isJsonOutput, type OutputFlags } from './flags.ts';
import { stopOnSignal } from './stop-on-signal.ts';

export type SessionFlags = OutputFlags &
  ServiceFlags &
  HistoryFlags & {
    watch?: boolean | undefined;
  };

export interface Session {
  host: Host;
  isVerbose: boolean;
  isJson: boolean;
  /** Aborted by SIGINT or SIGTERM. */
  signal: AbortSignal;
  /** From now on the first SIGINT or SIGTERM aborts `signal` and lets requests in flight finish; the second ends the process. */
  installSignalHandlers(): void;
  /** Prints the result as --output, --json, and --fields specify. */
  print(view: View): Promise<void>;
  /** Prints a note on stderr; with --json only if --verbose or --debug is set. */
  note(text: string): void;
  /** Prints a warning on stderr. */
  warn(text: string): void;
  /** Prints an error that does not end the command, as with --watch; --json is not possible then. */
  showError(error: CliError): Promise<void>;
  /** Resolves the settings and opens the connection, once per session. Raises usage (2) or denied (4). */
  connect(): Promise<Connection>;
  /** Raises usage (2) if versions cannot be saved. Call before the first update or delete, and before a prompt for it. */
  requireHistory(): Promise<void>;
  /**
   * Connects, and runs `work` with the write lock: no other command of this user writes to the service between the reads
   * and writes of `work`.
   */
  write<T>(work: (session: WriteSession) => Promise<T>): Promise<T>;
}

export interface WriteSession extends Connection {
  /** Saves a formula before it is updated or deleted; nothing with --no-history. Raises usage (2) if it cannot be saved. */
  saveVersion: SaveVersion;
  /** Records the created formulas of the run. */
  recordCreated: HistoryRun['recordCreated'];
  /** Restores what this command replaces or deletes; undefined with --no-history. */
  undoCommand: string | undefined;
}

interface SessionOptions extends RequestOptions {
  /** Whether items can have other fields: keys of a response, which are unknown before the request. */
  hasOtherFields?: boolean;
}

/** Raises usage (2) for invalid output flags, and for a field of --fields that is not one of `fields`. Reads no settings: `connect` does. */
export function createSession(
  flags: SessionFlags,
  host: Host,
  fields: readonly string[],
  options?: SessionOptions,
): Session {
  const isJson = isJsonOutput(flags);
  if (flags.watch && isJson) {
    throw new CliError('usage', '--watch and --json cannot be used together', { hint: 'Pass -o jsonl instead.' });
  }
  const note = createNotePrinter(flags, host);
  let connection: Promise<Connection> | undefined;
  const connect = () => {
    connection ??= resolveTarget(flags, host).then(async (target) => {
      const opened = await openConnection(target, flags, host, options);
      if (options?.namesService) note(`Service: ${escapeControls(opened.service)}`);
      return opened;
    });
    return connection;
  };
  const warn = (text: string) => host.stderr.write(`${wrapMessage(escapeControls(text), host.stderr)}\n`);
  return {
    host,
    isVerbose: flags.verbose ?? false,
    isJson,
    signal: host.abortSignal,
    installSignalHandlers: () => stopOnSignal(flags, host),
    print: createPrinter(flags, host, fields, options?.hasOtherFields),
    note,
    warn,
    showError: async (error) => {
      const { formatError } = await import('../output/error-text.ts');
      host.stderr.write(formatError(error, host.stderr));
    },
    connect,
    requireHistory: async () => {
      if (flags.history !== false) (await import('../state/history.ts')).requireHistory(host);
    },
    write: async (work) => withWriteLock(await connect(), flags, { host, warn }, work),
  };
}

async function withWriteLock<T>(
  connection: Connection,
  flags: SessionFlags,
  { host, warn }: Pick<Session, 'host' | 'warn'>,
  work: (session: WriteSession) => Promise<T>,
): Promise<T> {
  const { acquireLock } = await import('../state/write-lock.ts');
  const { openHistory } = await import('../state/history.ts');
  const { lockName, profile = null, client } = connection;
  const history = openHistory(host, lockName, profile);
  const isSaved = flags.history !== false;
  const release = await acquireLock(host, lockName, { warn, abortSignal: host.abortSignal });
  try {
    return await work({
      ...connection,
      saveVersion: (...version) => (isSaved ? history.save(...version) : undefined),
      recordCreated: history.recordCreated,
      undoCommand: isSaved ? client.command('formula restore', '--run', history.run) : undefined,
    });
  } finally {
    history.close();
    release();
  }
}
