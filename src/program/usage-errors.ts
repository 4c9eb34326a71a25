/** What is said to words that are no command line: what was wrong, what was likely meant, and what shows more. */

import { CliError } from '../errors.ts';
import { isLikelyKey, REDACTED } from '../secrets/api-key.ts';
import { suggest } from '../text/did-you-mean.ts';

/** What the words stand in. */
export interface InvalidCommandLine {
  args: readonly string[];
  /** The commands that the words name at their beginning. */
  path: readonly string[];
  /** Every command of the program, as its words. */
  commands: readonly (readonly string[])[];
  /** The words that a command got beyond those that it takes. */
  excessArguments: readonly string[];
}

/** Words of other tools for the verbs of this one. */
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

/** The usage error (2) of a command line that commander refused. */
export function usageError(
  { code, message }: { code: string; message: string },
  commandLine: InvalidCommandLine,
): CliError {
  if (code === 'commander.unknownCommand') return unknownCommandError(commandLine);
  if (code === 'commander.excessArguments') return tooManyArgumentsError(commandLine);
  return new CliError('usage', toOneLine(message), { hint: formatHint(commandLine) });
}

function unknownCommandError(commandLine: InvalidCommandLine): CliError {
  const { args, path, commands } = commandLine;
  const name = args[path.length] ?? '';
  const here = commands.filter((command) => path.every((part, i) => command[i] === part));
  const next = [...new Set(here.flatMap((command) => command[path.length] ?? []))];
  const suggestion = suggest(name, next);
  const synonym = SYNONYMS[name] ?? name;
  // Most people mean formulas.
  const order = [...(path.length > 0 ? here : []), ...commands.filter(([noun]) => noun === 'formula'), ...commands];
  const other = order.find((command) => command.includes(synonym));
  const likely = suggestion ? [...path, suggestion] : other?.slice(0, other.indexOf(synonym) + 1);
  return new CliError(
    'usage',
    `unknown command '${redactKey(name)}'${likely ? `; did you mean ${likely.join(' ')}?` : ''}`,
    {
      hint: likely
        ? formatHint({ ...commandLine, path: likely })
        : `there are ${next.join(', ')}; ${formatHint(commandLine)}`,
    },
  );
}

function tooManyArgumentsError(commandLine: InvalidCommandLine): CliError {
  const args = commandLine.excessArguments.map((word) => JSON.stringify(redactKey(word))).join(', ');
  return new CliError('usage', `too many words for ${commandLine.path.join(' ')}: ${args} is more than it takes`, {
    hint: `a name of several words needs quotes; ${formatHint(commandLine)}`,
  });
}

/** A key may have been typed at the wrong place. */
const redactKey = (word: string) => (isLikelyKey(word) ? REDACTED : word);

/** commander's message as one line, without its prefix. */
function toOneLine(message: string): string {
  return (
    message
      .replace(/^error: /, '')
      // What follows the sign may be a secret that was typed at the wrong place.
      .replace(/'(--[\w-]+)=[^']*'/, "'$1'")
      .replace(/\n\(Did you mean (.*)\?\)$/s, '; did you mean $1?')
      .replace(/\s*\n\s*/g, ' ')
  );
}

function formatHint({ args, path }: InvalidCommandLine): string {
  if (args.some((word) => /^--(api-?)?(key|token)(=|$)/i.test(word))) {
    return 'no flag takes the key itself, since others can read command lines: set FORMULARY_API_KEY, or give --api-key-file FILE or --api-key-stdin';
  }
  return `${['formulary', ...path].join(' ')} --help shows what can be typed`;
}
