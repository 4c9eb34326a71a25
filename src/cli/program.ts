/** Parses the command line and runs the command; only the module of that command is loaded. */
import { Command, CommanderError, Help, type Option } from '@commander-js/extra-typings';
import type { CommandOutcome } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { stringifySafely } from '../output/escape.ts';
import { COMMANDS, findCommand } from './command-table.ts';
import type { CommandHelp, LoadCommand, Noun, Verb } from './define.ts';

declare const FORMULARY_VERSION: string;

/** Sets the default port of --inspect: commander would parse a folder after it as the port. */
function withInspectPort(args: readonly string[]): string[] {
  const end = args.indexOf('--');
  return args.map((arg, i) => (arg === '--inspect' && (end < 0 || i < end) ? '--inspect=9229' : arg));
}

/** Runs a command line and returns its outcome. Raises CliError: usage (2) for invalid arguments. */
export async function runProgram(argv: readonly string[], host: Host): Promise<CommandOutcome> {
  if (argv[0] === 'help') {
    const text = await formatHelp(argv.slice(1), host);
    if (text !== undefined) {
      host.stdout.write(text);
      return 'ok';
    }
  }
  const args = withInspectPort(normalizeHelp(argv));
  let outcome: CommandOutcome = 'ok';
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
      excessArguments: findExcessArguments(findCommandAt(program, path)),
      flags: findCommandAt(program, path).options.flatMap(({ long }) => long ?? []),
    });
  }
  return outcome;
}

/** A topic, the reference, or the document of --json; undefined for the help of commands. */
async function formatHelp(args: readonly string[], host: Host): Promise<string | undefined> {
  const load = createLoader(host);
  if (args.includes('--json')) {
    const words = args.filter((arg) => arg !== '--json');
    if (findCommand(words).path.length < words.length) return undefined;
    const { createHelpDocument } = await import('./help-document.ts');
    return `${stringifySafely(await createHelpDocument(words, load))}\n`;
  }
  if (args.length !== 1) return undefined;
  if (args[0] === 'reference') return (await import('./help-document.ts')).formatReference(load, host.stdout.columns);
  return (await import('./help-topics.ts')).formatTopic(args[0] ?? '', host.stdout.columns);
}

const createLoader =
  (host: Host): LoadCommand =>
  async (words) => {
    const { path, node } = findCommand(words);
    const { options, registeredArguments } = findCommandAt(await buildProgram(path, host, () => undefined), path);
    return { path, verbs: 'verbs' in node ? node.verbs : {}, options, registeredArguments };
  };

async function buildProgram(
  args: readonly string[],
  host: Host,
  setOutcome: (outcome: CommandOutcome) => void,
): Promise<Command> {
  const program = createCommand('formulary', host)
    .description('Check reactor formulas and publish them from a repository to a tokenization service.')
    .version(FORMULARY_VERSION, '--version', 'print the version')
    .addHelpText('after', PROGRAM_EXAMPLES);
  await addCommands(program, COMMANDS, args, host, setOutcome);
  return program;
}

/** Adds the commands of a table. Only the command in `args` is loaded and gets its arguments and flags. */
async function addCommands(
  parent: Command,
  nodes: Record<string, Verb | Noun>,
  args: readonly string[],
  host: Host,
  setOutcome: (outcome: CommandOutcome) => void,
  path: readonly string[] = [],
): Promise<void> {
  for (const [name, node] of Object.entries(nodes)) {
    const command = createCommand(name, host).summary(node.summary).description(node.summary);
    const rest = args[0] === name ? args.slice(1) : [];
    if ('verbs' in node) await addCommands(command, node.verbs, rest, host, setOutcome, [...path, name]);
    else if (args[0] === name) {
      if (node.writes === 'service') await addReadOnlyGuard(command, host);
      (await node.load())(command, host, setOutcome, createLoader(host));
      const examples = node.examples.map((example) => `  formulary ${[...path, name, example].join(' ')}`.trimEnd());
      command.addHelpText('after', ['\nExamples:', ...examples].join('\n'));
    }
    parent.addCommand(command);
  }
}

/** The one door to commands that write to a service. */
async function addReadOnlyGuard(command: Command, host: Host): Promise<void> {
  const { assertNotReadOnly } = await import('../session/read-only.ts');
  command.hook('preAction', (_, action) => {
    const { args } = action;
    const folders = { create: args, push: args, update: args.slice(-1) }[action.name()] ?? [];
    assertNotReadOnly(`${action.parent?.name()} ${action.name()}`, action.opts(), folders, host);
  });
}

/** A commander command with arguments and flags of any type. */
interface AnyCommand extends CommandHelp {
  readonly commands: readonly AnyCommand[];
  readonly args: readonly string[];
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

Help for a command: formulary formula create --help
Help topics: formulary help exit-codes, environment, output, files, reference
For programs: formulary help --json`;

/** A command that writes to the host's streams and throws instead of ending the process. */
function createCommand(name: string, host: Host): Command {
  const helpWidth = Math.min(host.stdout.columns, 100);
  return new Command(name)
    .exitOverride()
    .helpCommand(false)
    .helpOption('-h, --help', 'show this help')
    .showSuggestionAfterError(true)
    .configureHelp({
      helpWidth,
      minWidthToWrap: MIN_DESCRIPTION_WIDTH,
      groupItems: groupOwnOptions,
      formatItem,
    })
    .configureOutput({
      writeOut: (text) => host.stdout.write(text),
      writeErr: () => undefined,
      getOutHasColors: () => host.stdout.hasColor,
      // By default, commander opens the streams of the process to read their width.
      getOutHelpWidth: () => host.stdout.columns,
      getErrHelpWidth: () => host.stderr.columns,
      getErrHasColors: () => host.stderr.hasColor,
    })
    .addHelpText('after', ({ command }) => formatSharedFlags(command as Command, helpWidth));
}

/** Lists a command's own flags; those that commands share are one line after them. */
function groupOwnOptions<T extends Command | Option>(
  ...items: Parameters<typeof Help.prototype.groupItems<T>>
): Map<string, T[]> {
  return new Map([...Help.prototype.groupItems(...items)].filter(([title]) => !Object.hasOwn(SHARED_GROUPS, title)));
}

/** The line about the flags that a command shares with others. */
function formatSharedFlags({ options }: Pick<Command, 'options'>, width: number): string {
  const groups = Object.keys(SHARED_GROUPS).flatMap((title) => {
    const names = options.flatMap(({ helpGroupHeading, long }) => (helpGroupHeading === title && long ? [long] : []));
    const shown = names.filter((name) => COMMON_FLAGS.includes(name));
    return names.length === 0 ? [] : [`${SHARED_GROUPS[title]} (${shown.join(', ')}, …)`];
  });
  if (groups.length === 0) return '';
  const text = `Flags for ${groups.join(' and ')}: formulary help reference`;
  return `\n${new Help().boxWrap(text, width)}`;
}

/** Help groups of the flags that many commands have. */
const SHARED_GROUPS: Readonly<Record<string, string>> = { 'Output:': 'output', 'Service:': 'the service' };
const COMMON_FLAGS = ['--json', '--output', '--verbose', '--local', '--profile', '--target'];

/** In terminal columns. */
const MIN_DESCRIPTION_WIDTH = 20;

/** Formats a flag or command with its description, which goes on the next lines of a narrow terminal. */
function formatItem(...[term, width, description, help]: Parameters<typeof Help.prototype.formatItem>): string {
  const columns = help.helpWidth ?? 80;
  if (description === '' || columns - width - 4 >= MIN_DESCRIPTION_WIDTH)
    return Help.prototype.formatItem.call(help, term, width, description, help);
  const lines = help.boxWrap(description, columns - 6).split('\n');
  return [`  ${term}`, ...lines.map((line) => `      ${line}`)].join('\n');
}

/** Turns `help formula create` into `formula create --help`. An unknown word stays last, so that commander reports it. */
function normalizeHelp(argv: readonly string[]): string[] {
  const helpIndex = argv.indexOf('help');
  const before = findCommand(argv.slice(0, Math.max(0, helpIndex)));
  if (helpIndex < 0 || before.path.length < helpIndex || !('verbs' in before.node)) return [...argv];
  const args = argv.toSpliced(helpIndex, 1);
  const { path, node } = findCommand(args);
  return 'verbs' in node && path.length < args.length ? args.slice(0, path.length + 1) : [...args, '--help'];
}
