/** What can stand next on a command line, read off the tree of commands. Pure. */

/** A command as commander holds it; the part that completion reads. */
export interface CommandTree {
  readonly commands: readonly CommandTree[];
  readonly options: readonly CommandFlag[];
  readonly registeredArguments: readonly { name(): string; variadic: boolean }[];
  name(): string;
  description(): string;
}

interface CommandFlag {
  /** As it was declared: `-o, --output <format>`. */
  flags: string;
  long?: string | undefined;
  short?: string | undefined;
  description: string;
  required: boolean;
  variadic: boolean;
  /** The heading of the help that it stands under, if it is shared with other commands. */
  helpGroupHeading?: string | undefined;
}

/** A word that can be typed, and what it means. */
export interface Candidate {
  value: string;
  description: string;
}

/** Words to choose from, or a value of the kind that a placeholder names (`file`), behind `prefix` in the current word. */
export type Completions = { words: readonly Candidate[] } | { placeholder: string; prefix: string };

/** What the current word can become. `program` has the flags of the command that the words before it name. */
export function findCompletions(program: CommandTree, words: readonly string[], current: string): Completions {
  const { command, rest } = resolveCommand(program, words);
  const line = parseArguments(command, rest);
  const isFlag = !line.isAfterSeparator && current.startsWith('-');
  if (line.pendingFlag && !(line.pendingFlag.variadic && isFlag))
    return { placeholder: parsePlaceholder(line.pendingFlag), prefix: '' };
  if (isFlag) return completeFlag(command, line.givenFlags, current);
  if (command.commands.length > 0) return { words: rest.length > 0 ? [] : command.commands.map(toCandidate) };
  const arguments_ = command.registeredArguments;
  const argument = arguments_[line.argumentCount] ?? (arguments_.at(-1)?.variadic ? arguments_.at(-1) : undefined);
  if (argument) return { placeholder: argument.name(), prefix: '' };
  return { words: line.isAfterSeparator ? [] : listFlags(command, line.givenFlags) };
}

function resolveCommand(
  program: CommandTree,
  words: readonly string[],
): { command: CommandTree; rest: readonly string[] } {
  let command = program;
  let depth = 0;
  for (const word of words) {
    const child = command.commands.find((candidate) => candidate.name() === word);
    if (!child) break;
    command = child;
    depth += 1;
  }
  return { command, rest: words.slice(depth) };
}

interface LineState {
  /** The flag whose value comes next. */
  pendingFlag: CommandFlag | undefined;
  givenFlags: Set<CommandFlag>;
  /** How many words stand that belong to no flag. */
  argumentCount: number;
  /** Whether `--` stands, after which nothing is a flag. */
  isAfterSeparator: boolean;
}

function parseArguments(command: CommandTree, words: readonly string[]): LineState {
  const line: LineState = { pendingFlag: undefined, givenFlags: new Set(), argumentCount: 0, isAfterSeparator: false };
  for (const word of words) {
    if (line.pendingFlag && !(line.pendingFlag.variadic && word.startsWith('-'))) {
      if (!line.pendingFlag.variadic) line.pendingFlag = undefined;
    } else if (line.isAfterSeparator || !word.startsWith('-') || word === '-') line.argumentCount += 1;
    else if (word === '--') line.isAfterSeparator = true;
    else line.pendingFlag = recordFlag(command, word, line.givenFlags);
  }
  return line;
}

/** Notes a flag as given; gives it back when its value is still to come. */
function recordFlag({ options }: CommandTree, word: string, givenFlags: Set<CommandFlag>): CommandFlag | undefined {
  const name = word.replace(/=.*/s, '');
  const flag = options.find(({ long, short }) => long === name || short === name);
  if (flag) givenFlags.add(flag);
  return flag?.required && name === word ? flag : undefined;
}

function completeFlag(command: CommandTree, givenFlags: ReadonlySet<CommandFlag>, current: string): Completions {
  const [, name, sign] = /^(--[^=]+)(=)/.exec(current) ?? [];
  const flag = sign && command.options.find(({ long, required }) => required && long === name);
  if (flag) return { placeholder: parsePlaceholder(flag), prefix: `${name}=` };
  return { words: listFlags(command, givenFlags) };
}

/** Flags by their long names, the command's own first; one that was given only if it takes several values. */
function listFlags({ options }: CommandTree, givenFlags: ReadonlySet<CommandFlag>): Candidate[] {
  const offered = options.filter((flag) => flag.variadic || !givenFlags.has(flag));
  const own = offered.filter(({ helpGroupHeading }) => !helpGroupHeading);
  const shared = offered.filter(({ helpGroupHeading }) => helpGroupHeading);
  return [
    ...[...own, ...shared].map(({ long, short, description }) => ({
      value: long ?? short ?? '',
      description: description,
    })),
    { value: '--help', description: 'show this help' },
  ];
}

const parsePlaceholder = ({ flags }: CommandFlag) => /<(.+?)(?:\.\.\.)?>/.exec(flags)?.[1] ?? '';

const toCandidate = (command: CommandTree): Candidate => ({
  value: command.name(),
  description: command.description(),
});
