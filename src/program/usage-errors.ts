/** What is said to words that are no command line: what was wrong, what was likely meant, and what shows more. */

import { CliError } from '../errors.ts';
import { HIDDEN, looksLikeKey } from '../secrets/api-key.ts';
import { closest } from '../text/did-you-mean.ts';

/** What the words stand in. */
export interface WrongWords {
  words: readonly string[];
  /** The commands that the words name at their beginning. */
  path: readonly string[];
  /** Every command of the program, as its words. */
  commands: readonly (readonly string[])[];
  /** The words that a command got beyond those that it takes. */
  surplus: readonly string[];
}

/** Words of other tools for the verbs of this one. */
const MEANT: Readonly<Record<string, string>> = {
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
export function wrongWords({ code, message }: { code: string; message: string }, place: WrongWords): CliError {
  if (code === 'commander.unknownCommand') return unknownCommand(place);
  if (code === 'commander.excessArguments') return tooMany(place);
  return new CliError('usage', oneLine(message), { hint: hintFor(place) });
}

function unknownCommand(place: WrongWords): CliError {
  const { words, path, commands } = place;
  const word = words[path.length] ?? '';
  const here = commands.filter((command) => path.every((part, i) => command[i] === part));
  const next = [...new Set(here.flatMap((command) => command[path.length] ?? []))];
  const near = closest(word, next);
  const meant = MEANT[word] ?? word;
  // Most people mean formulas.
  const order = [...(path.length > 0 ? here : []), ...commands.filter(([noun]) => noun === 'formula'), ...commands];
  const other = order.find((command) => command.includes(meant));
  const likely = near ? [...path, near] : other?.slice(0, other.indexOf(meant) + 1);
  return new CliError(
    'usage',
    `unknown command '${shown(word)}'${likely ? `; did you mean ${likely.join(' ')}?` : ''}`,
    {
      hint: likely ? hintFor({ ...place, path: likely }) : `there are ${next.join(', ')}; ${hintFor(place)}`,
    },
  );
}

function tooMany(place: WrongWords): CliError {
  const words = place.surplus.map((word) => JSON.stringify(shown(word))).join(', ');
  return new CliError('usage', `too many words for ${place.path.join(' ')}: ${words} is more than it takes`, {
    hint: `a name of several words needs quotes; ${hintFor(place)}`,
  });
}

/** A key may have been typed at the wrong place. */
const shown = (word: string) => (looksLikeKey(word) ? HIDDEN : word);

/** commander's message as one line, without its prefix. */
function oneLine(message: string): string {
  return (
    message
      .replace(/^error: /, '')
      // What follows the sign may be a secret that was typed at the wrong place.
      .replace(/'(--[\w-]+)=[^']*'/, "'$1'")
      .replace(/\n\(Did you mean (.*)\?\)$/s, '; did you mean $1?')
      .replace(/\s*\n\s*/g, ' ')
  );
}

function hintFor({ words, path }: WrongWords): string {
  if (words.some((word) => /^--(api-?)?(key|token)(=|$)/i.test(word))) {
    return 'no flag takes the key itself, since others can read command lines: set FORMULARY_API_KEY, or give --api-key-file FILE or --api-key-stdin';
  }
  return `${['formulary', ...path].join(' ')} --help shows what can be typed`;
}
