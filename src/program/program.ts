/** Runs one command line: makes the commands of the table, reads the words, and loads the module of the verb that is run. */
import { Command, CommanderError, Help, type Option } from '@commander-js/extra-typings';
import type { Outcome } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { COMMANDS, findCommand, listCommandPaths } from './command-table.ts';
import type { Noun, Verb } from './define.ts';

declare const FORMULARY_VERSION: string;

/** Runs one command line and returns how it ended. Raises CliError; `usage` for words that are wrong. */
/** A port is given only with `=`, so that a folder after --inspect is not taken for one. */
function withInspectPort(words: readonly string[]): string[] {
  const end = words.indexOf('--');
  return words.map((word, i) => (word === '--inspect' && (end < 0 || i < end) ? '--inspect=9229' : word));
}

export async function runProgram(argv: readonly string[], host: Host): Promise<Outcome> {
  if (argv[0] === 'help' && argv.length === 2) {
    const { formatTopic } = await import('./help-topics.ts');
    const topic = formatTopic(argv[1] ?? '', host.stdout.columns);
    if (topic !== undefined) {
      host.stdout.write(topic);
      return 'ok';
    }
  }
  const args = withInspectPort(normalizeHelp(argv));
  let outcome: Outcome = 'ok';
  const program = await buildProgram(args, host, (ended) => {
    outcome = ended;
  });
  const { path, node } = findCommand(args);
  if (path.length === args.length && 'verbs' in node) {
    host.stderr.write(findCommandAt(program, path).helpInformation());
    if (path.length === 0) host.stderr.write(`${PROGRAM_EXAMPLES}\n`);
    return 'usage';
  }
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return 'ok';
    const { usageError } = await import('./usage-errors.ts');
    throw usageError(error, {
      args,
      path,
      commands: listCommandPaths(),
      excessArguments: findExcessArguments(findCommandAt(program, path)),
    });
  }
  return outcome;
}

async function buildProgram(
  args: readonly string[],
  host: Host,
  setOutcome: (outcome: Outcome) => void,
): Promise<Command> {
  const program = createCommand('formulary', host)
    .description('Check reactor formulas and publish them from a repository to a tokenization service.')
    .version(FORMULARY_VERSION, '--version', 'print the version')
    .addHelpText('after', PROGRAM_EXAMPLES);
  await addCommands(program, COMMANDS, args, host, setOutcome);
  return program;
}

/** Adds the commands of a table; of the one that the words name, the module is loaded and its flags are added. */
async function addCommands(
  parent: Command,
  nodes: Record<string, Verb | Noun>,
  args: readonly string[],
  host: Host,
  setOutcome: (outcome: Outcome) => void,
): Promise<void> {
  for (const [name, node] of Object.entries(nodes)) {
    const command = createCommand(name, host).description(node.summary);
    const rest = args[0] === name ? args.slice(1) : [];
    if ('verbs' in node) await addCommands(command, node.verbs, rest, host, setOutcome);
    else if (args[0] === name) {
      (await node.load())(command, host, setOutcome, (otherArgs) => buildProgram(otherArgs, host, () => undefined));
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

function findCommandAt(program: AnyCommand, path: readonly string[]): AnyCommand {
  let found = program;
  for (const name of path) found = found.commands.find((child) => child.name() === name) ?? found;
  return found;
}

const findExcessArguments = ({ args, registeredArguments }: AnyCommand) => args.slice(registeredArguments.length);

const PROGRAM_EXAMPLES = `
Examples:
  formulary formula init my-formula
  formulary formula validate my-formula
  formulary formula create my-formula --local
  formulary formula list --local

Each command has its own help: formulary formula create --help
Topics: formulary help exit-codes, environment, output, files`;

/** A command that writes to the host's streams and throws instead of ending the process. */
function createCommand(name: string, host: Host): Command {
  return new Command(name)
    .exitOverride()
    .helpCommand(false)
    .helpOption('-h, --help', 'show this help')
    .showSuggestionAfterError(true)
    .configureHelp({
      helpWidth: Math.min(host.stdout.columns, 100),
      minWidthToWrap: MIN_DESCRIPTION_WIDTH,
      groupItems: groupOwnOptionsFirst,
      formatItem,
    })
    .configureOutput({
      writeOut: (text) => host.stdout.write(text),
      writeErr: () => undefined,
      getOutHasColors: () => host.stdout.hasColor,
      // Of the process's own streams commander would make one to ask it.
      getOutHelpWidth: () => host.stdout.columns,
      getErrHelpWidth: () => host.stderr.columns,
      getErrHasColors: () => host.stderr.hasColor,
    });
}

/** A command's own flags stand before those that it shares with others. */
function groupOwnOptionsFirst<T extends Command | Option>(
  ...items: Parameters<typeof Help.prototype.groupItems<T>>
): Map<string, T[]> {
  const groups = [...Help.prototype.groupItems(...items)];
  const isOwn = ([title]: [string, T[]]) => title === 'Options:';
  return new Map([...groups.filter(isOwn), ...groups.filter((group) => !isOwn(group))]);
}

/** A narrower column of descriptions is hard to read. */
const MIN_DESCRIPTION_WIDTH = 20;

/** A flag or command and what it is; below each other on a terminal that is narrow. */
function formatItem(...[term, width, description, help]: Parameters<typeof Help.prototype.formatItem>): string {
  const columns = help.helpWidth ?? 80;
  if (description === '' || columns - width - 4 >= MIN_DESCRIPTION_WIDTH)
    return Help.prototype.formatItem.call(help, term, width, description, help);
  const lines = help.boxWrap(description, columns - 6).split('\n');
  return [`  ${term}`, ...lines.map((line) => `      ${line}`)].join('\n');
}

/** `help formula create` is `formula create --help`; where a word is not known, it is the last, so that it is refused. */
function normalizeHelp(argv: readonly string[]): string[] {
  const helpIndex = argv.indexOf('help');
  const before = findCommand(argv.slice(0, Math.max(0, helpIndex)));
  if (helpIndex < 0 || before.path.length < helpIndex || !('verbs' in before.node)) return [...argv];
  const args = argv.toSpliced(helpIndex, 1);
  const { path, node } = findCommand(args);
  return 'verbs' in node && path.length < args.length ? args.slice(0, path.length + 1) : [...args, '--help'];
}
