/** Runs one command line: makes the commands of the table, reads the words, and loads the module of the verb that is run. */
import { Command, CommanderError, Help, type Option } from '@commander-js/extra-typings';
import type { Outcome } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { COMMANDS, commandPaths, namedBy } from './command-table.ts';
import type { Noun, Verb } from './define.ts';

declare const FORMULARY_VERSION: string;

/** Runs one command line and returns how it ended. Raises CliError; `usage` for words that are wrong. */
export async function runProgram(argv: readonly string[], host: Host): Promise<Outcome> {
  if (argv[0] === 'help' && argv.length === 2) {
    const { topicText } = await import('./help-topics.ts');
    const topic = topicText(argv[1] ?? '', host.stdout.columns);
    if (topic !== undefined) {
      host.stdout.write(topic);
      return 'ok';
    }
  }
  const words = asHelpFlag(argv);
  let outcome: Outcome = 'ok';
  const program = await buildProgram(words, host, (end) => {
    outcome = end;
  });
  const { path, node } = namedBy(words);
  if (path.length === words.length && 'verbs' in node) {
    host.stderr.write(commandAt(program, path).helpInformation());
    if (path.length === 0) host.stderr.write(`${PROGRAM_EXAMPLES}\n`);
    return 'usage';
  }
  try {
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return 'ok';
    const { wrongWords } = await import('./usage-errors.ts');
    throw wrongWords(error, { words, path, commands: commandPaths(), surplus: surplusOf(commandAt(program, path)) });
  }
  return outcome;
}

async function buildProgram(words: readonly string[], host: Host, end: (outcome: Outcome) => void): Promise<Command> {
  const program = bare('formulary', host)
    .description('Check reactor formulas and publish them from a repository to a tokenization service.')
    .version(FORMULARY_VERSION, '--version', 'print the version')
    .addHelpText('after', PROGRAM_EXAMPLES);
  await addCommands(program, COMMANDS, words, host, end);
  return program;
}

/** Adds the commands of a table; of the one that the words name, the module is loaded and its flags are added. */
async function addCommands(
  parent: Command,
  nodes: Record<string, Verb | Noun>,
  words: readonly string[],
  host: Host,
  end: (outcome: Outcome) => void,
): Promise<void> {
  for (const [name, node] of Object.entries(nodes)) {
    const command = bare(name, host).description(node.about);
    const rest = words[0] === name ? words.slice(1) : [];
    if ('verbs' in node) await addCommands(command, node.verbs, rest, host, end);
    else if (words[0] === name) {
      (await node.load())(command, host, end, (line) => buildProgram(line, host, () => undefined));
    }
    parent.addCommand(command);
  }
}

/** The part of any command that does not depend on its flags. */
interface AnyCommand {
  readonly commands: readonly AnyCommand[];
  readonly args: readonly string[];
  readonly registeredArguments: readonly unknown[];
  name(): string;
  helpInformation(): string;
}

function commandAt(program: AnyCommand, path: readonly string[]): AnyCommand {
  let found = program;
  for (const word of path) found = found.commands.find((child) => child.name() === word) ?? found;
  return found;
}

const surplusOf = ({ args, registeredArguments }: AnyCommand) => args.slice(registeredArguments.length);

const PROGRAM_EXAMPLES = `
Examples:
  formulary formula init my-formula
  formulary formula validate my-formula
  formulary formula create my-formula --local
  formulary formula list --local

Each command has its own help: formulary formula create --help
Topics: formulary help exit-codes, environment, output, files`;

/** A command that writes to the host's streams and throws instead of ending the process. */
function bare(name: string, host: Host): Command {
  return new Command(name)
    .exitOverride()
    .helpCommand(false)
    .helpOption('-h, --help', 'show this help')
    .showSuggestionAfterError(true)
    .configureHelp({
      helpWidth: Math.min(host.stdout.columns, 100),
      minWidthToWrap: LEAST_ROOM,
      groupItems: ownOptionsFirst,
      formatItem,
    })
    .configureOutput({
      writeOut: (text) => host.stdout.write(text),
      writeErr: () => undefined,
      getOutHasColors: () => host.stdout.hasColour,
      // Of the process's own streams commander would make one to ask it.
      getOutHelpWidth: () => host.stdout.columns,
      getErrHelpWidth: () => host.stderr.columns,
      getErrHasColors: () => host.stderr.hasColour,
    });
}

/** A command's own flags stand before those that it shares with others. */
function ownOptionsFirst<T extends Command | Option>(
  ...items: Parameters<typeof Help.prototype.groupItems<T>>
): Map<string, T[]> {
  const groups = [...Help.prototype.groupItems(...items)];
  const isOwn = ([title]: [string, T[]]) => title === 'Options:';
  return new Map([...groups.filter(isOwn), ...groups.filter((group) => !isOwn(group))]);
}

/** A narrower column of descriptions is hard to read. */
const LEAST_ROOM = 20;

/** A flag or command and what it is; below each other on a terminal that is narrow. */
function formatItem(...[term, width, about, help]: Parameters<typeof Help.prototype.formatItem>): string {
  const columns = help.helpWidth ?? 80;
  if (about === '' || columns - width - 4 >= LEAST_ROOM)
    return Help.prototype.formatItem.call(help, term, width, about, help);
  const lines = help.boxWrap(about, columns - 6).split('\n');
  return [`  ${term}`, ...lines.map((line) => `      ${line}`)].join('\n');
}

/** `help formula create` is `formula create --help`; where a word is not known, it is the last, so that it is refused. */
function asHelpFlag(argv: readonly string[]): string[] {
  const at = argv.indexOf('help');
  const before = namedBy(argv.slice(0, Math.max(0, at)));
  if (at < 0 || before.path.length < at || !('verbs' in before.node)) return [...argv];
  const words = argv.toSpliced(at, 1);
  const { path, node } = namedBy(words);
  return 'verbs' in node && path.length < words.length ? words.slice(0, path.length + 1) : [...words, '--help'];
}
