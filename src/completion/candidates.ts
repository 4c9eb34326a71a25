/** What can stand next on a command line, read off the tree of commands. Pure. */

/** A command as commander holds it; the part that completion reads. */
export interface Tree {
  readonly commands: readonly Tree[];
  readonly options: readonly Flag[];
  readonly registeredArguments: readonly { name(): string; variadic: boolean }[];
  name(): string;
  description(): string;
}

interface Flag {
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
  about: string;
}

/** Words to choose from, or a value of the kind that a placeholder names (`file`), behind `prefix` in the current word. */
export type Expected = { words: readonly Candidate[] } | { placeholder: string; prefix: string };

/** What the current word can become. `program` has the flags of the command that the words before it name. */
export function expectedAt(program: Tree, words: readonly string[], current: string): Expected {
  const { command, rest } = commandIn(program, words);
  const line = readLine(command, rest);
  const isFlag = !line.isOver && current.startsWith('-');
  if (line.waiting && !(line.waiting.variadic && isFlag))
    return { placeholder: placeholderOf(line.waiting), prefix: '' };
  if (isFlag) return flagOrValue(command, line.given, current);
  if (command.commands.length > 0) return { words: rest.length > 0 ? [] : command.commands.map(asCandidate) };
  const arguments_ = command.registeredArguments;
  const argument = arguments_[line.count] ?? (arguments_.at(-1)?.variadic ? arguments_.at(-1) : undefined);
  if (argument) return { placeholder: argument.name(), prefix: '' };
  return { words: line.isOver ? [] : flagsOf(command, line.given) };
}

function commandIn(program: Tree, words: readonly string[]): { command: Tree; rest: readonly string[] } {
  let command = program;
  let depth = 0;
  for (const word of words) {
    const child = command.commands.find((one) => one.name() === word);
    if (!child) break;
    command = child;
    depth += 1;
  }
  return { command, rest: words.slice(depth) };
}

interface Line {
  /** The flag whose value comes next. */
  waiting: Flag | undefined;
  given: Set<Flag>;
  /** How many words stand that belong to no flag. */
  count: number;
  /** Whether `--` stands, after which nothing is a flag. */
  isOver: boolean;
}

function readLine(command: Tree, words: readonly string[]): Line {
  const line: Line = { waiting: undefined, given: new Set(), count: 0, isOver: false };
  for (const word of words) {
    if (line.waiting && !(line.waiting.variadic && word.startsWith('-'))) {
      if (!line.waiting.variadic) line.waiting = undefined;
    } else if (line.isOver || !word.startsWith('-') || word === '-') line.count += 1;
    else if (word === '--') line.isOver = true;
    else line.waiting = flagRead(command, word, line.given);
  }
  return line;
}

/** Notes a flag as given; gives it back when its value is still to come. */
function flagRead({ options }: Tree, word: string, given: Set<Flag>): Flag | undefined {
  const name = word.replace(/=.*/s, '');
  const flag = options.find(({ long, short }) => long === name || short === name);
  if (flag) given.add(flag);
  return flag?.required && name === word ? flag : undefined;
}

function flagOrValue(command: Tree, given: ReadonlySet<Flag>, current: string): Expected {
  const [, name, sign] = /^(--[^=]+)(=)/.exec(current) ?? [];
  const flag = sign && command.options.find(({ long, required }) => required && long === name);
  if (flag) return { placeholder: placeholderOf(flag), prefix: `${name}=` };
  return { words: flagsOf(command, given) };
}

/** Flags by their long names, the command's own first; one that was given only if it takes several values. */
function flagsOf({ options }: Tree, given: ReadonlySet<Flag>): Candidate[] {
  const offered = options.filter((flag) => flag.variadic || !given.has(flag));
  const own = offered.filter(({ helpGroupHeading }) => !helpGroupHeading);
  const shared = offered.filter(({ helpGroupHeading }) => helpGroupHeading);
  return [
    ...[...own, ...shared].map(({ long, short, description }) => ({ value: long ?? short ?? '', about: description })),
    { value: '--help', about: 'show this help' },
  ];
}

const placeholderOf = ({ flags }: Flag) => /<(.+?)(?:\.\.\.)?>/.exec(flags)?.[1] ?? '';

const asCandidate = (command: Tree): Candidate => ({ value: command.name(), about: command.description() });
