/** Turns commander's errors into usage errors with suggestions. */
import { CliError } from '../errors.ts';
import { isLikelyKey, REDACTED } from '../secrets/api-key.ts';
import { suggest } from '../text/did-you-mean.ts';
import { findCommand, listCommandPaths } from './command-table.ts';
import { TOPIC_NAMES } from './help-topics.ts';

interface InvalidCommandLine {
  args: readonly string[];
  /** The command, or part of one, that the arguments begin with. */
  path: readonly string[];
  /** The arguments beyond those that the command accepts. */
  excessArguments: readonly string[];
  /** The long flags of the command. */
  flags: readonly string[];
}

/** Verbs of other tools, and the verb that replaces them. */
const SYNONYMS: Readonly<Record<string, string>> = {
  add: 'create',
  apply: 'push',
  check: 'validate',
  deploy: 'push',
  lint: 'validate',
  ls: 'list',
  new: 'init',
  plan: 'diff',
  publish: 'push',
  remove: 'delete',
  rm: 'delete',
  serve: 'start',
  show: 'get',
  sync: 'push',
  upload: 'push',
  verify: 'validate',
  whoami: 'status',
};

/** The usage error (2) for a command line that commander rejects. */
export function usageError(
  { code, message }: { code: string; message: string },
  commandLine: InvalidCommandLine,
): CliError {
  const unknown = /unknown (?:option|command) '([^'=]*)/.exec(message)?.[1] ?? '';
  const known = findMisplacedFlagError(commandLine) ?? findReplacementError(unknown, commandLine);
  if (known && !hasKeyFlag(commandLine.args)) return known;
  if (code === 'commander.unknownCommand') return unknownCommandError(commandLine);
  if (code === 'commander.excessArguments') return tooManyArgumentsError(commandLine);
  return new CliError('usage', toOneLine(message), { hint: formatHint(commandLine) });
}

/** Flags and words of other tools, and what replaces them. */
const REPLACEMENTS: Readonly<Record<string, string>> = {
  '-V': '--version',
  '-v': '--version',
  '-f': '--force',
  '-y': '--yes',
  exitcodes: 'help exit-codes',
  'exit-codes': 'help exit-codes',
  version: '--version',
};

/** A usage error for a word or flag that has a known replacement; undefined for others. */
function findReplacementError(unknown: string, { path, flags }: InvalidCommandLine): CliError | undefined {
  const replacement = Object.hasOwn(REPLACEMENTS, unknown) ? REPLACEMENTS[unknown] : findBegun(unknown, flags);
  const isFlag = unknown.startsWith('-');
  if (replacement === undefined || (path.length > 0 && !isFlag)) return undefined;
  if (isFlag && replacement !== '--version' && !flags.includes(replacement)) return undefined;
  return replacementError(unknown, replacement, path);
}

/** The only word that begins with an unknown one. */
function findBegun(beginning: string, words: readonly string[]): string | undefined {
  const found = words.filter((word) => beginning.length > 2 && word.startsWith(beginning));
  return found.length === 1 ? found[0] : undefined;
}

function replacementError(unknown: string, replacement: string, path: readonly string[]): CliError {
  const kind = unknown.startsWith('-') ? 'option' : 'command';
  return new CliError('usage', `unknown ${kind} '${unknown}'; did you mean ${replacement}?`, {
    hint: replacement.startsWith('help') ? `Run 'formulary ${replacement}'.` : formatHint({ args: [], path }),
  });
}

/** A usage error for flags before the command. */
function findMisplacedFlagError({ args, path }: InvalidCommandLine): CliError | undefined {
  if (path.length > 0 || !args[0]?.startsWith('-')) return undefined;
  const name = args.map((_, i) => findCommand(args.slice(i)).path.join(' ')).find(Boolean);
  if (name === undefined) return undefined;
  return new CliError('usage', `flags must follow the command: formulary ${name} …`, {
    hint: `Run 'formulary ${name} --help' for usage.`,
  });
}

function unknownCommandError(commandLine: InvalidCommandLine): CliError {
  const { args, path } = commandLine;
  const commands = listCommandPaths();
  const name = args[path.length] ?? '';
  const here = commands.filter((command) => path.every((part, i) => command[i] === part));
  const next = [...new Set(here.flatMap((command) => command[path.length] ?? []))];
  const suggestion = suggest(name, next) ?? findBegun(name, next);
  const topic = path.length === 0 && !suggestion ? suggest(name, TOPIC_NAMES) : undefined;
  if (topic) return replacementError(name, `help ${topic}`, path);
  const synonym = SYNONYMS[name] ?? name;
  // A formula command is the most likely one.
  const order = [...(path.length > 0 ? here : []), ...commands.filter(([noun]) => noun === 'formula'), ...commands];
  const other = order.find((command) => command.includes(synonym));
  const likely = suggestion ? [...path, suggestion] : other?.slice(0, other.indexOf(synonym) + 1);
  return new CliError(
    'usage',
    `unknown command '${redactKey(name)}'${likely ? `; did you mean ${likely.join(' ')}?` : ''}`,
    {
      hint: likely
        ? formatHint({ ...commandLine, path: likely })
        : `Available commands: ${next.join(', ')}.${path.length === 0 ? ` Help topics: ${TOPIC_NAMES.join(', ')}.` : ''} ${formatHint(commandLine)}`,
    },
  );
}

function tooManyArgumentsError(commandLine: InvalidCommandLine): CliError {
  const args = commandLine.excessArguments.map((arg) => JSON.stringify(redactKey(arg))).join(', ');
  return new CliError('usage', `too many arguments for ${commandLine.path.join(' ')}: unexpected ${args}`, {
    hint: `Quote names that contain spaces. ${formatHint(commandLine)}`,
  });
}

/** An argument may be an API key by mistake. */
const redactKey = (arg: string) => (isLikelyKey(arg) ? REDACTED : arg);

/** commander's message on one line, without its prefix. */
function toOneLine(message: string): string {
  return (
    message
      .replace(/^error: /, '')
      // The value may be a secret.
      .replace(/'(--[\w-]+)=[^']*'/, "'$1'")
      .replace(/\n\(Did you mean (.*)\?\)$/s, '; did you mean $1?')
      .replace(/\s*\n\s*/g, ' ')
  );
}

const hasKeyFlag = (args: readonly string[]) => args.some((arg) => /^--(api-?)?(key|token)(=|$)/i.test(arg));

function formatHint({ args, path }: Pick<InvalidCommandLine, 'args' | 'path'>): string {
  if (hasKeyFlag(args))
    return 'Other users can read command lines: set FORMULARY_API_KEY, or pass --api-key-file or --api-key-stdin.';
  return `Run '${['formulary', ...path].join(' ')} --help' for usage.`;
}
