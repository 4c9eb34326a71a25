/** The response to a completion script: a line with the kind of completion, then one line per candidate. */
import type { LoadCommand } from '../cli/define.ts';
import { CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { escapeControls } from '../output/escape.ts';
import { type Candidate, type Completions, findCompletions } from './candidates.ts';
import { parseLine, type Shell } from './parse-line.ts';
import { findValues, type PlaceholderValues } from './placeholder-values.ts';

/** Words, or files and folders that the shell completes after `prefix`. */
interface Offer {
  kind: 'words' | 'files' | 'folders' | 'nothing';
  prefix: string;
  words: readonly Candidate[];
}

/** The response for the scripts in scripts.ts; `raw` are the words up to the cursor, without the program. */
export async function respond(shell: Shell, raw: readonly string[], load: LoadCommand, host: Host): Promise<string> {
  const { words, current, fixedPrefix } = parseLine(shell, raw);
  const isHelp = words[0] === 'help';
  const path = isHelp ? words.slice(1) : words;
  const found = await findCompletions(load, path, current);
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

/** Adds `help`, which is not in the command tree, and its topics. */
async function addHelpCandidates(found: Completions, path: readonly string[], isHelp: boolean): Promise<Completions> {
  if (!('words' in found)) return { words: [] };
  if (path.length > 0) return found;
  if (!isHelp) return { words: [...found.words, { value: 'help', description: 'Show help for a command or topic' }] };
  const { TOPIC_NAMES } = await import('../cli/help-topics.ts');
  return { words: [...found.words, ...TOPIC_NAMES.map((value) => ({ value, description: 'help topic' }))] };
}

interface Line {
  host: Host;
  words: readonly string[];
}

async function createOffer(values: PlaceholderValues, prefix: string, current: string, line: Line): Promise<Offer> {
  if (typeof values === 'string') return { kind: values, prefix, words: [] };
  if (typeof values === 'function')
    return createWordsOffer(await loadCandidates(() => values(line.host, line.words)), prefix, current);
  const start = values.filesAfter.map((text) => prefix + text).find((text) => current.startsWith(text));
  if (start !== undefined) return { kind: 'files', prefix: start, words: [] };
  const words = values.filesAfter.map((value) => ({ value, description: 'file' }));
  return createWordsOffer(words, prefix, current);
}

/** Errors are ignored: they must not be printed while a user types. */
async function loadCandidates(load: () => Promise<readonly Candidate[]>) {
  try {
    return await load();
  } catch (error) {
    if (error instanceof CliError) return [];
    throw error;
  }
}

/** Offers only words without shell syntax; brackets are allowed, since they are at most a file pattern. */
function createWordsOffer(words: readonly Candidate[], prefix: string, current: string): Offer {
  const candidates = words.map(({ value, description }) => ({ value: `${prefix}${value}`, description }));
  const matching = candidates.filter(({ value }) => value.startsWith(current) && /^[\w.:@=/[\]-]+$/.test(value));
  return { kind: 'words', prefix: '', words: matching };
}
