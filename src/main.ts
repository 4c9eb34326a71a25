/** Runs one command line. The only place where an error becomes a message and an exit code. */
import { CliError, EXIT_CODES, type Outcome, toErrorDocument, toExitCode } from './errors.ts';
import { unexpectedFsError } from './files/file-errors.ts';
import { type Host, KEY_VARIABLES, type RawHost, withOverrides, withRedaction } from './host/host.ts';
import { stringifySafely } from './output/escape.ts';

declare const FORMULARY_VERSION: string;

/** Runs `argv` (without node and the script) in a world, and returns the exit code. Never throws. */
export async function main(argv: readonly string[], rawHost: RawHost): Promise<number> {
  // Answered before the command tree is loaded: scripts ask for the version often.
  if (argv.length === 1 && argv[0] === '--version') {
    rawHost.stdout.write(`${FORMULARY_VERSION}\n`);
    return EXIT_CODES.ok;
  }
  const host = withColorFlag(argv, withRedaction(rawHost));
  try {
    if (KEY_VARIABLES.some((name) => host.env[name])) {
      const { redactEnvironmentKeys } = await import('./secrets/redact-environment.ts');
      redactEnvironmentKeys(host);
    }
    const { runProgram } = await import('./program/program.ts');
    return toExitCode(await runProgram(argv, host), host.abortSignal);
  } catch (error) {
    return toExitCode(await reportError(error, argv, host), host.abortSignal);
  }
}

/** --color and --no-color beat the environment, on both streams; read off the words, for errors about them too. */
function withColorFlag(argv: readonly string[], host: Host): Host {
  const flag = argsBeforeSeparator(argv).findLast((arg) => arg === '--color' || arg === '--no-color');
  if (!flag) return host;
  const hasColor = flag === '--color';
  return withOverrides(host, { stdout: { ...host.stdout, hasColor }, stderr: { ...host.stderr, hasColor } });
}

/** The words before `--`, after which nothing is a flag. */
function argsBeforeSeparator(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return end < 0 ? argv : argv.slice(0, end);
}

async function reportError(error: unknown, argv: readonly string[], host: Host): Promise<Outcome> {
  const cliError = error instanceof CliError ? error : (unexpectedFsError(error) ?? toBugError(error, argv, host));
  const reported = host.abortSignal.aborted ? toInterrupted(cliError) : cliError;
  if (hasJsonFlag(argv)) {
    host.stderr.write(
      `${stringifySafely(toErrorDocument(reported, toExitCode(reported.outcome, host.abortSignal)))}\n`,
    );
    return reported.outcome;
  }
  const { formatError } = await import('./output/error-text.ts');
  host.stderr.write(formatError(reported, host.stderr));
  return reported.outcome;
}

/** Whatever else went wrong, the command ended since it was told to stop. */
function toInterrupted(error: CliError): CliError {
  if (error.outcome === 'interrupted') return error;
  return new CliError('interrupted', `interrupted: ${error.message}`, { ...error, cause: error });
}

/** A fault of the tool: says so, with what a report about it needs, and without a stack trace. */
function toBugError(error: unknown, argv: readonly string[], host: Host): CliError {
  const description = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const command = argv
    .filter((word) => /^[a-z]+$/.test(word))
    .slice(0, 2)
    .join(' ');
  return new CliError('bug', `this is a fault of formulary, not of your input: ${description.split('\n')[0]}`, {
    cause: error,
    hint: `please report it with the command (${command || 'none'}) and the versions: formulary ${FORMULARY_VERSION}, Node.js ${host.nodeVersion}, ${host.platform}`,
  });
}

/** Whether errors are wanted as JSON; read off the words themselves, since they may be what is wrong. */
export function hasJsonFlag(argv: readonly string[]): boolean {
  return argsBeforeSeparator(argv).some(
    (word, i) =>
      word === '--json' ||
      /^(-o|--output=)json$/.test(word) ||
      (word === 'json' && /^(-o|--output)$/.test(argv[i - 1] ?? '')),
  );
}
