/** Finds the completions of a command line. */
import type { CommandHelp, LoadCommand } from '../cli/define.ts';

type Flag = CommandHelp['options'][number];

export interface Candidate {
  value: string;
  description: string;
}

/** A list of candidates, or a placeholder (`file`) whose value follows `prefix` in the current argument. */
export type Completions = { words: readonly Candidate[] } | { placeholder: string; prefix: string };

/** The completions of `current`, the argument after `words`. */
export async function findCompletions(
  load: LoadCommand,
  words: readonly string[],
  current: string,
): Promise<Completions> {
  const command = await load(words);
  const rest = words.slice(command.path.length);
  const line = parseArguments(command, rest);
  const isFlag = !line.isAfterSeparator && current.startsWith('-');
  if (line.pendingFlag && !(line.pendingFlag.variadic && isFlag))
    return { placeholder: parsePlaceholder(line.pendingFlag), prefix: '' };
  if (isFlag) return completeFlag(command, line.givenFlags, current);
  const verbs = Object.entries(command.verbs).map(([value, { summary }]) => ({ value, description: summary }));
  if (verbs.length > 0) return { words: rest.length > 0 ? [] : verbs };
  const arguments_ = command.registeredArguments;
  const argument = arguments_[line.argumentCount] ?? (arguments_.at(-1)?.variadic ? arguments_.at(-1) : undefined);
  if (argument) return { placeholder: argument.name(), prefix: '' };
  return { words: line.isAfterSeparator ? [] : listFlags(command, line.givenFlags) };
}

/** `pendingFlag`: the flag whose value comes next; `isAfterSeparator`: after `--`, where there are no flags. */
function parseArguments(command: CommandHelp, words: readonly string[]) {
  let pendingFlag: Flag | undefined;
  let [argumentCount, isAfterSeparator] = [0, false];
  const givenFlags = new Set<Flag>();
  for (const word of words) {
    if (pendingFlag && !(pendingFlag.variadic && word.startsWith('-'))) {
      if (!pendingFlag.variadic) pendingFlag = undefined;
    } else if (isAfterSeparator || !word.startsWith('-') || word === '-') argumentCount += 1;
    else if (word === '--') isAfterSeparator = true;
    else pendingFlag = recordFlag(command, word, givenFlags);
  }
  return { pendingFlag, givenFlags, argumentCount, isAfterSeparator };
}

/** Records a flag; returns it if its value is the next argument. */
function recordFlag({ options }: CommandHelp, word: string, givenFlags: Set<Flag>): Flag | undefined {
  const name = word.replace(/=.*/s, '');
  const flag = options.find(({ long, short }) => long === name || short === name);
  if (flag) givenFlags.add(flag);
  return flag?.required && name === word ? flag : undefined;
}

function completeFlag(command: CommandHelp, givenFlags: ReadonlySet<Flag>, current: string): Completions {
  const [, name, sign] = /^(--[^=]+)(=)/.exec(current) ?? [];
  const flag = sign && command.options.find(({ long, required }) => required && long === name);
  if (flag) return { placeholder: parsePlaceholder(flag), prefix: `${name}=` };
  return { words: listFlags(command, givenFlags) };
}

/** The long names of the flags, the command's own first. A flag that was passed is offered again if it is variadic. */
function listFlags({ options }: CommandHelp, givenFlags: ReadonlySet<Flag>): Candidate[] {
  const offered = options.filter((flag) => flag.variadic || !givenFlags.has(flag));
  const isShared = ({ helpGroupHeading }: Flag) => (helpGroupHeading ? 1 : 0);
  const sorted = offered.toSorted((a, b) => isShared(a) - isShared(b));
  return [
    ...sorted.map(({ long, short, description }) => ({ value: long ?? short ?? '', description })),
    { value: '--help', description: 'show this help' },
  ];
}

const parsePlaceholder = ({ flags }: Flag) => /<(.+?)(?:\.\.\.)?>/.exec(flags)?.[1] ?? '';
