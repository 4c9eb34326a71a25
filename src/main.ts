/** Runs one command line. The only place where an error becomes a message and an exit code. */
import { CliError, EXIT_CODES, errorDocument, exitCodeOf, type Outcome } from './errors.ts';
import { strayFileError } from './files/file-errors.ts';
import { guardedHost, type Host, KEY_VARIABLES, over, type World } from './host/host.ts';
import { safeJson } from './output/escape.ts';

declare const FORMULARY_VERSION: string;

/** Runs `argv` (without node and the script) in a world, and returns the exit code. Never throws. */
export async function main(argv: readonly string[], world: World): Promise<number> {
  // Answered before the command tree is loaded: scripts ask for the version often.
  if (argv.length === 1 && argv[0] === '--version') {
    world.stdout.write(`${FORMULARY_VERSION}\n`);
    return EXIT_CODES.ok;
  }
  const host = withColourFlag(argv, guardedHost(world));
  try {
    if (KEY_VARIABLES.some((name) => host.env[name])) {
      const { hideEnvironmentKeys } = await import('./secrets/redact-environment.ts');
      hideEnvironmentKeys(host);
    }
    const { runProgram } = await import('./program/program.ts');
    return exitCodeOf(await runProgram(argv, host), host.stopping);
  } catch (error) {
    return exitCodeOf(await report(error, argv, host), host.stopping);
  }
}

/** --color and --no-color beat the environment, on both streams; read off the words, for errors about them too. */
function withColourFlag(argv: readonly string[], host: Host): Host {
  const flag = flagsIn(argv).findLast((word) => word === '--color' || word === '--no-color');
  if (!flag) return host;
  const hasColour = flag === '--color';
  return over(host, { stdout: { ...host.stdout, hasColour }, stderr: { ...host.stderr, hasColour } });
}

/** The words before `--`, after which nothing is a flag. */
function flagsIn(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return end < 0 ? argv : argv.slice(0, end);
}

async function report(error: unknown, argv: readonly string[], host: Host): Promise<Outcome> {
  const ended = error instanceof CliError ? error : (strayFileError(error) ?? asBug(error, argv, host));
  const known = host.stopping.aborted ? asInterrupted(ended) : ended;
  if (wantsJson(argv)) {
    host.stderr.write(`${safeJson(errorDocument(known, exitCodeOf(known.outcome, host.stopping)))}\n`);
    return known.outcome;
  }
  const { errorText } = await import('./output/error-text.ts');
  host.stderr.write(errorText(known, host.stderr));
  return known.outcome;
}

/** Whatever else went wrong, the command ended since it was told to stop. */
function asInterrupted(error: CliError): CliError {
  if (error.outcome === 'interrupted') return error;
  return new CliError('interrupted', `interrupted: ${error.message}`, { ...error, cause: error });
}

/** A fault of the tool: says so, with what a report about it needs, and without a stack trace. */
function asBug(error: unknown, argv: readonly string[], host: Host): CliError {
  const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const command = argv
    .filter((word) => /^[a-z]+$/.test(word))
    .slice(0, 2)
    .join(' ');
  return new CliError('bug', `this is a fault of formulary, not of your input: ${what.split('\n')[0]}`, {
    cause: error,
    hint: `please report it with the command (${command || 'none'}) and the versions: formulary ${FORMULARY_VERSION}, Node.js ${host.nodeVersion}, ${host.platform}`,
  });
}

/** Whether errors are wanted as JSON; read off the words themselves, since they may be what is wrong. */
export function wantsJson(argv: readonly string[]): boolean {
  return flagsIn(argv).some(
    (word, i) =>
      word === '--json' ||
      /^(-o|--output=)json$/.test(word) ||
      (word === 'json' && /^(-o|--output)$/.test(argv[i - 1] ?? '')),
  );
}
