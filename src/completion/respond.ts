/** The answer to a shell that asks what can be typed next: a line that says of which kind, then a line a word. */
import { CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { visible } from '../output/escape.ts';
import { type Candidate, type Expected, expectedAt, type Tree } from './candidates.ts';
import { type Shell, typedIn } from './parse-line.ts';
import { type Values, valuesOf } from './placeholder-values.ts';

/** What the shell is to offer: words, or what it finds itself behind `prefix`. */
interface Offer {
  kind: 'words' | 'files' | 'folders' | 'nothing';
  prefix: string;
  words: readonly Candidate[];
}

/** The tree of commands, with the flags of the one that the words name. */
type TreeFor = (words: readonly string[]) => Promise<Tree>;

/** The text that the scripts of scripts.ts read; `raw` are the words up to the cursor, without the program. */
export async function replyTo(shell: Shell, raw: readonly string[], treeFor: TreeFor, host: Host): Promise<string> {
  const { words, current, kept } = typedIn(shell, raw);
  const isHelp = words[0] === 'help';
  const path = isHelp ? words.slice(1) : words;
  const found = expectedAt(await treeFor(path), path, current);
  const expected = isHelp || path.length === 0 ? await withHelp(found, path, isHelp) : found;
  const offer =
    'words' in expected
      ? offerOf(expected.words, '', current)
      : await offerFor(valuesOf(expected.placeholder) ?? 'nothing', expected.prefix, current, host);
  const lines = offer.words.map(({ value, about }) => `${value.slice(kept.length)}\t${visible(about)}`);
  return `${[`${offer.kind}\t${offer.prefix}`, ...lines].join('\n')}\n`;
}

/** `help` is no command of the tree: it stands before one, or before a topic. */
async function withHelp(found: Expected, path: readonly string[], isHelp: boolean): Promise<Expected> {
  if (!('words' in found)) return { words: [] };
  if (path.length > 0) return found;
  if (!isHelp) return { words: [...found.words, { value: 'help', about: 'the help of a command, or a topic' }] };
  const { TOPIC_NAMES } = await import('../program/help-topics.ts');
  return { words: [...found.words, ...TOPIC_NAMES.map((value) => ({ value, about: 'a topic' }))] };
}

async function offerFor(values: Values, prefix: string, current: string, host: Host): Promise<Offer> {
  if (typeof values === 'string') return { kind: values, prefix, words: [] };
  if (typeof values === 'function') return offerOf(await candidatesFrom(values, host), prefix, current);
  const start = `${prefix}${values.filesAfter}`;
  if (current.startsWith(start)) return { kind: 'files', prefix: start, words: [] };
  return offerOf([{ value: values.filesAfter, about: 'a file' }], prefix, current);
}

/** A folder that cannot be read has none, and is no reason to print an error while a person types. */
async function candidatesFrom(values: (host: Host) => Promise<readonly Candidate[]>, host: Host) {
  try {
    return await values(host);
  } catch (error) {
    if (error instanceof CliError) return [];
    throw error;
  }
}

/** Words that a shell could take for more than a word are never offered. */
function offerOf(words: readonly Candidate[], prefix: string, current: string): Offer {
  const whole = words.map(({ value, about }) => ({ value: `${prefix}${value}`, about }));
  const fit = whole.filter(({ value }) => value.startsWith(current) && /^[\w.:@=/-]+$/.test(value));
  return { kind: 'words', prefix: '', words: fit };
}
