/** The answer to a shell that asks what can be typed next: a line that says of which kind, then a line a word. */
import { CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { escapeControls } from '../output/escape.ts';
import { type Candidate, type CommandTree, type Completions, findCompletions } from './candidates.ts';
import { parseLine, type Shell } from './parse-line.ts';
import { findValues, type PlaceholderValues } from './placeholder-values.ts';

/** What the shell is to offer: words, or what it finds itself behind `prefix`. */
interface Offer {
  kind: 'words' | 'files' | 'folders' | 'nothing';
  prefix: string;
  words: readonly Candidate[];
}

/** The tree of commands, with the flags of the one that the words name. */
type BuildTree = (words: readonly string[]) => Promise<CommandTree>;

/** The text that the scripts of scripts.ts read; `raw` are the words up to the cursor, without the program. */
export async function respond(shell: Shell, raw: readonly string[], buildTree: BuildTree, host: Host): Promise<string> {
  const { words, current, fixedPrefix } = parseLine(shell, raw);
  const isHelp = words[0] === 'help';
  const path = isHelp ? words.slice(1) : words;
  const found = findCompletions(await buildTree(path), path, current);
  const completions = isHelp || path.length === 0 ? await addHelpCandidates(found, path, isHelp) : found;
  const offer =
    'words' in completions
      ? createWordsOffer(completions.words, '', current)
      : await createOffer(findValues(completions.placeholder) ?? 'nothing', completions.prefix, current, {
          host,
          words,
        });
  const lines = offer.words.map(
    ({ value, description }) => `${value.slice(fixedPrefix.length)}\t${escapeControls(description)}`,
  );
  return `${[`${offer.kind}\t${offer.prefix}`, ...lines].join('\n')}\n`;
}

/** `help` is no command of the tree: it stands before one, or before a topic. */
async function addHelpCandidates(found: Completions, path: readonly string[], isHelp: boolean): Promise<Completions> {
  if (!('words' in found)) return { words: [] };
  if (path.length > 0) return found;
  if (!isHelp) return { words: [...found.words, { value: 'help', description: 'the help of a command, or a topic' }] };
  const { TOPIC_NAMES } = await import('../program/help-topics.ts');
  return { words: [...found.words, ...TOPIC_NAMES.map((value) => ({ value, description: 'a topic' }))] };
}

interface Line {
  host: Host;
  words: readonly string[];
}

async function createOffer(values: PlaceholderValues, prefix: string, current: string, line: Line): Promise<Offer> {
  if (typeof values === 'string') return { kind: values, prefix, words: [] };
  if (typeof values === 'function')
    return createWordsOffer(await loadCandidates(() => values(line.host, line.words)), prefix, current);
  const start = `${prefix}${values.filesAfter}`;
  if (current.startsWith(start)) return { kind: 'files', prefix: start, words: [] };
  return createWordsOffer([{ value: values.filesAfter, description: 'a file' }], prefix, current);
}

/** A folder that cannot be read has none, and is no reason to print an error while a person types. */
async function loadCandidates(load: () => Promise<readonly Candidate[]>) {
  try {
    return await load();
  } catch (error) {
    if (error instanceof CliError) return [];
    throw error;
  }
}

/** Words that a shell could take for more than a word are never offered; brackets are at most a pattern for files. */
function createWordsOffer(words: readonly Candidate[], prefix: string, current: string): Offer {
  const candidates = words.map(({ value, description }) => ({ value: `${prefix}${value}`, description: description }));
  const matching = candidates.filter(({ value }) => value.startsWith(current) && /^[\w.:@=/[\]-]+$/.test(value));
  return { kind: 'words', prefix: '', words: matching };
}
