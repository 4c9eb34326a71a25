/** Runs one command line. The only place where an error becomes a message and an exit code. */
import { CliError, EXIT_CODES, errorDocument, type Outcome } from './errors.ts';
import { guardedHost, type Host, type World } from './host.ts';
import { safeJson } from './output/escape.ts';

declare const FORMULARY_VERSION: string;

/** Runs `argv` (without node and the script) in a world, and returns the exit code. Never throws. */
export async function main(argv: readonly string[], world: World): Promise<number> {
  const host = guardedHost(world);
  // Answered before the command tree is loaded: scripts ask for the version often.
  if (argv.length === 1 && argv[0] === '--version') {
    host.stdout.write(`${FORMULARY_VERSION}\n`);
    return EXIT_CODES.ok;
  }
  try {
    const { runProgram } = await import('./program.ts');
    return EXIT_CODES[await runProgram(argv, host)];
  } catch (error) {
    return EXIT_CODES[await report(error, argv, host)];
  }
}

async function report(error: unknown, argv: readonly string[], host: Host): Promise<Outcome> {
  const known = error instanceof CliError ? error : asBug(error, argv, host);
  if (wantsJson(argv)) {
    host.stderr.write(`${safeJson(errorDocument(known))}\n`);
    return known.outcome;
  }
  const { errorText } = await import('./output/error-text.ts');
  host.stderr.write(errorText(known, host.stderr));
  return known.outcome;
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
  const end = argv.indexOf('--');
  const words = end < 0 ? argv : argv.slice(0, end);
  return words.some(
    (word, i) =>
      word === '--json' ||
      /^(-o|--output=)json$/.test(word) ||
      (word === 'json' && /^(-o|--output)$/.test(words[i - 1] ?? '')),
  );
}
