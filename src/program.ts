/** The command tree: a table of nouns and verbs. Only the module of the verb that is run is loaded. */
import { Command, CommanderError, Help, type Option } from '@commander-js/extra-typings';
import type { Outcome } from './errors.ts';
import type { Host } from './host.ts';

declare const FORMULARY_VERSION: string;

/** The tree of commands; of the one that the words name, the flags are in it too. */
type TreeFor = (words: readonly string[]) => Promise<Command>;

/** Makes a command of a bare one: its arguments, flags and help, and `run` as its action. */
export type Define = (command: Command, host: Host, end: (outcome: Outcome) => void, treeFor: TreeFor) => void;

interface Verb {
  about: string;
  load(): Promise<Define>;
}

interface Noun {
  about: string;
  verbs: Record<string, Verb | Noun>;
}

const NOUNS: Record<string, Verb | Noun> = {
  permissions: {
    about: 'the permissions that an application can have',
    verbs: {
      list: {
        about: 'list the permission catalogue',
        load: async () => (await import('./commands/permissions/list.ts')).list,
      },
    },
  },
  formula: {
    about: 'reactor formulas, on disk and on the service',
    verbs: {
      init: {
        about: 'write a formula folder to start from',
        load: async () => (await import('./commands/formula/init.ts')).init,
      },
      validate: {
        about: 'check formula folders, offline',
        load: async () => (await import('./commands/formula/validate.ts')).validate,
      },
      types: {
        about: 'write the types of args and configuration',
        load: async () => (await import('./commands/formula/types.ts')).types,
      },
      run: {
        about: 'run the code of a formula on this machine',
        load: async () => (await import('./commands/formula/run.ts')).run,
      },
      test: {
        about: 'run the cases of formulas, and compare',
        load: async () => (await import('./commands/formula/test.ts')).test,
      },
      create: {
        about: 'create one formula from a folder',
        load: async () => (await import('./commands/formula/create.ts')).create,
      },
      list: {
        about: 'list the formulas of the service',
        load: async () => (await import('./commands/formula/list.ts')).list,
      },
      get: { about: 'show one formula', load: async () => (await import('./commands/formula/get.ts')).get },
      update: {
        about: 'replace one formula from a folder',
        load: async () => (await import('./commands/formula/update.ts')).update,
      },
      delete: { about: 'delete formulas', load: async () => (await import('./commands/formula/delete.ts')).remove },
      diff: { about: 'show what push would do', load: async () => (await import('./commands/formula/diff.ts')).diff },
      push: {
        about: 'make the service hold what the folders say',
        load: async () => (await import('./commands/formula/push.ts')).push,
      },
      pull: { about: 'write formulas as folders', load: async () => (await import('./commands/formula/pull.ts')).pull },
      link: {
        about: 'record which formula a folder is',
        load: async () => (await import('./commands/formula/link.ts')).link,
      },
      unlink: {
        about: 'forget which formula a folder is',
        load: async () => (await import('./commands/formula/unlink.ts')).unlink,
      },
      history: {
        about: 'list the copies kept before each update and delete',
        load: async () => (await import('./commands/formula/history.ts')).history,
      },
      restore: {
        about: 'put a kept copy back',
        load: async () => (await import('./commands/formula/restore.ts')).restore,
      },
    },
  },
  auth: {
    about: 'keys kept for the addresses they are for',
    verbs: {
      login: {
        about: 'keep a key for a base address',
        load: async () => (await import('./commands/auth/login.ts')).login,
      },
      logout: { about: 'forget a kept key', load: async () => (await import('./commands/auth/logout.ts')).logout },
      status: {
        about: 'show which key is used, from where, and whether it is accepted',
        load: async () => (await import('./commands/auth/status.ts')).status,
      },
    },
  },
  service: {
    about: 'the embedded service, for trying out and for tests',
    verbs: {
      start: {
        about: 'serve the embedded service on this machine',
        load: async () => (await import('./commands/service/start.ts')).start,
      },
      application: {
        about: 'applications of the embedded service, and their keys',
        verbs: {
          create: {
            about: 'make an application and its key',
            load: async () => (await import('./commands/service/application/create.ts')).create,
          },
          list: {
            about: 'list the applications',
            load: async () => (await import('./commands/service/application/list.ts')).list,
          },
          delete: {
            about: 'delete an application, whose key is then void',
            load: async () => (await import('./commands/service/application/delete.ts')).remove,
          },
        },
      },
    },
  },
  doctor: {
    about: 'check settings, network, key, tools and files, and say what to do',
    load: async () => (await import('./commands/doctor.ts')).doctor,
  },
  completion: {
    about: 'completion in bash, zsh and fish',
    load: async () => (await import('./commands/completion.ts')).completion,
  },
};

/** Runs one command line and returns how it ended. Raises CliError; `usage` for words that are wrong. */
export async function runProgram(argv: readonly string[], host: Host): Promise<Outcome> {
  if (argv[0] === 'help' && argv.length === 2) {
    const { topicText } = await import('./topics.ts');
    const topic = topicText(argv[1] ?? '');
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
    return 'usage';
  }
  try {
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return 'ok';
    const { wrongWords } = await import('./wrong-words.ts');
    throw wrongWords(error, { words, path, commands: commandPaths(), surplus: surplusOf(commandAt(program, path)) });
  }
  return outcome;
}

async function buildProgram(words: readonly string[], host: Host, end: (outcome: Outcome) => void): Promise<Command> {
  const program = bare('formulary', host)
    .description('Check reactor formulas and publish them from a repository to a tokenization service.')
    .version(FORMULARY_VERSION, '--version', 'print the version')
    .addHelpText('after', PROGRAM_EXAMPLES);
  await addCommands(program, NOUNS, words, host, end);
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

/** What the words name at their beginning: nouns, and perhaps a verb. */
function namedBy(words: readonly string[]): { path: readonly string[]; node: Noun | Verb } {
  let node: Noun | Verb = { about: '', verbs: NOUNS };
  let length = 0;
  for (const word of words) {
    if (!('verbs' in node) || !Object.hasOwn(node.verbs, word)) break;
    node = node.verbs[word] ?? node;
    length += 1;
  }
  return { path: words.slice(0, length), node };
}

/** The words of every command that there is. */
export const commandPaths = (): string[][] => pathsOf(NOUNS);

/** The words of every command of a table. */
function pathsOf(nodes: Record<string, Verb | Noun>): string[][] {
  return Object.entries(nodes).flatMap(([name, node]) =>
    'verbs' in node ? pathsOf(node.verbs).map((path) => [name, ...path]) : [[name]],
  );
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
    .configureHelp({ helpWidth: Math.min(host.stdout.columns, 100), groupItems: ownOptionsFirst })
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

/** `help formula create` is `formula create --help`; where a word is not known, it is the last, so that it is refused. */
function asHelpFlag(argv: readonly string[]): string[] {
  const at = argv.indexOf('help');
  const before = namedBy(argv.slice(0, Math.max(0, at)));
  if (at < 0 || before.path.length < at || !('verbs' in before.node)) return [...argv];
  const words = argv.toSpliced(at, 1);
  const { path, node } = namedBy(words);
  return 'verbs' in node && path.length < words.length ? words.slice(0, path.length + 1) : [...words, '--help'];
}
