/** Runs a command line: the only place that turns an error into a message and an exit code. */
import { CliError, EXIT_CODES, type Outcome, toErrorDocument, toExitCode } from './errors.ts';
import { unexpectedFsError } from './files/file-errors.ts';
import { type Host, KEY_VARIABLES, type RawHost, withOverrides, withRedaction } from './host/host.ts';
import { stringifySafely } from './output/escape.ts';

declare const FORMULARY_VERSION: string;

/** Runs `argv` (without node and the script) on a host, and returns the exit code. */
export async function main(argv: readonly string[], rawHost: RawHost): Promise<number> {
  // Scripts call --version often, so it does not load the command tree.
  const isJson = argv.includes('--json');
  if (argv.includes('--version') && argv.length === (isJson ? 2 : 1)) {
    rawHost.stdout.write(`${isJson ? JSON.stringify({ version: FORMULARY_VERSION }) : FORMULARY_VERSION}\n`);
    return EXIT_CODES.ok;
  }
  const host = withColorFlag(argv, withRedaction(rawHost));
  try {
    await redactKeys(host);
    const { runProgram } = await import('./cli/program.ts');
    return toExitCode(await runProgram(argv, host), host.abortSignal);
  } catch (error) {
    return toExitCode(await reportError(error, argv, host), host.abortSignal);
  }
}

/** Reports an error that no command handled, such as one of an event listener, and returns the exit code. Never throws. */
export async function reportCrash(error: unknown, argv: readonly string[], rawHost: RawHost): Promise<number> {
  try {
    const host = withRedaction(rawHost);
    await redactKeys(host);
    return toExitCode(await reportError(error, argv, host), host.abortSignal);
  } catch {
    rawHost.stderr.write('error: internal error (this is a bug in formulary)\n');
    return EXIT_CODES.bug;
  }
}

async function redactKeys(host: Host): Promise<void> {
  if (!KEY_VARIABLES.some((name) => host.env[name])) return;
  const { redactEnvironmentKeys } = await import('./secrets/redact-environment.ts');
  redactEnvironmentKeys(host);
}

/** Applies --color and --no-color to both streams. Reads argv itself, so that usage errors are colored too. */
function withColorFlag(argv: readonly string[], host: Host): Host {
  const flag = argsBeforeSeparator(argv).findLast((arg) => arg === '--color' || arg === '--no-color');
  if (!flag) return host;
  const hasColor = flag === '--color';
  return withOverrides(host, { stdout: { ...host.stdout, hasColor }, stderr: { ...host.stderr, hasColor } });
}

/** The arguments before `--`; after it there are no flags. */
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

/** After a signal, any error is reported as interrupted. */
function toInterrupted(error: CliError): CliError {
  if (error.outcome === 'interrupted') return error;
  return new CliError('interrupted', `interrupted: ${error.message}`, { ...error, cause: error });
}

/** An internal error: what to include in a bug report, without a stack trace. */
function toBugError(error: unknown, argv: readonly string[], host: Host): CliError {
  const description = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const command = argv
    .filter((arg) => /^[a-z]+$/.test(arg))
    .slice(0, 2)
    .join(' ');
  return new CliError('bug', `internal error (this is a bug in formulary): ${description.split('\n')[0]}`, {
    cause: error,
    hint: `Please report it and include the command (${command || 'none'}) and the versions: formulary ${FORMULARY_VERSION}, Node.js ${host.nodeVersion}, ${host.platform}`,
  });
}

/** Whether errors are printed as JSON. Reads argv itself, since the arguments may be invalid. */
export function hasJsonFlag(argv: readonly string[]): boolean {
  return argsBeforeSeparator(argv).some(
    (arg, i) =>
      arg === '--json' ||
      /^(-o|--output=)json$/.test(arg) ||
      (arg === 'json' && /^(-o|--output)$/.test(argv[i - 1] ?? '')),
  );
}
