/** Finds the completions of a command line in the command tree. Pure. */

/** The part of a commander command that completion needs. */
export interface CommandTree {
  readonly commands: readonly CommandTree[];
  readonly options: readonly CommandFlag[];
  readonly registeredArguments: readonly { name(): string; variadic: boolean }[];
  name(): string;
  description(): string;
}

interface CommandFlag {
  /** The declaration: `-o, --output <format>`. */
  flags: string;
  long?: string | undefined;
  short?: string | undefined;
  description: string;
  required: boolean;
  variadic: boolean;
  /** The help heading of a shared flag. */
  helpGroupHeading?: string | undefined;
}

export interface Candidate {
  value: string;
  description: string;
}

/** A list of candidates, or a placeholder (`file`) whose value follows `prefix` in the current argument. */
export type Completions = { words: readonly Candidate[] } | { placeholder: string; prefix: string };

/** The completions of `current`, the argument after `words`. `program` includes the flags of the command in `words`. */
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
  /** The number of positional arguments. */
  argumentCount: number;
  /** Whether `--` was passed; after it there are no flags. */
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

/** Records a flag; returns it if its value is the next argument. */
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

/** The long names of the flags, the command's own first. A flag that was passed is offered again if it is variadic. */
function listFlags({ options }: CommandTree, givenFlags: ReadonlySet<CommandFlag>): Candidate[] {
  const offered = options.filter((flag) => flag.variadic || !givenFlags.has(flag));
  const own = offered.filter(({ helpGroupHeading }) => !helpGroupHeading);
  const shared = offered.filter(({ helpGroupHeading }) => helpGroupHeading);
  return [
    ...[...own, ...shared].map(({ long, short, description }) => ({
      value: long ?? short ?? '',
      description,
    })),
    { value: '--help', description: 'show this help' },
  ];
}

const parsePlaceholder = ({ flags }: CommandFlag) => /<(.+?)(?:\.\.\.)?>/.exec(flags)?.[1] ?? '';

const toCandidate = (command: CommandTree): Candidate => ({
  value: command.name(),
  description: command.description(),
});
