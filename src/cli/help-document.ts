/** The command line as data: the document of help --json, and the page of help reference. */
import { EXIT_CODES, type Outcome } from '../errors.ts';
import { formatDefinitionList, wrap } from '../output/wrap.ts';
import { findCommand, listCommandPaths } from './command-table.ts';
import type { CommandHelp, LoadCommand, Verb } from './define.ts';
import { EXIT_CODE_MEANINGS, MAX_WIDTH, TOPIC_NAMES } from './help-topics.ts';

declare const FORMULARY_VERSION: string;

interface Flag {
  name: string;
  value?: string;
  description: string;
  default?: string;
  repeatable?: true;
  choices?: string[];
  environment?: string;
}

/** The commands at a path, or below it. */
const listPathsAt = (path: readonly string[]) =>
  listCommandPaths().filter((command) => path.every((name, i) => command[i] === name));

/** The document of `help [COMMAND...] --json`. */
export async function createHelpDocument(path: readonly string[], load: LoadCommand): Promise<object> {
  const commands = await Promise.all(
    listPathsAt(path).map(async (command) => {
      const { summary, writes, permissions = [], exitCodes, result } = findCommand(command).node as Verb;
      const { registeredArguments, options } = await load(command);
      return {
        name: command.join(' '),
        summary,
        arguments: registeredArguments.map((argument) => ({
          name: argument.name(),
          required: argument.required,
          variadic: argument.variadic,
          description: argument.description,
        })),
        flags: options.map(toFlag),
        writes,
        permissions,
        exit_codes: (['ok', 'usage', ...exitCodes, 'bug', 'interrupted'] as const).map((name) => EXIT_CODES[name]),
        ...(result !== undefined && { result: `formulary-cli/schema/${result}.schema.json` }),
      };
    }),
  );
  return {
    schema_version: 1,
    version: FORMULARY_VERSION,
    commands,
    topics: TOPIC_NAMES,
    exit_codes: Object.entries(EXIT_CODES).map(([name, code]) => ({
      code,
      name,
      meaning: EXIT_CODE_MEANINGS[name as Outcome],
    })),
  };
}

/** A flag, with the facts that its description ends with. */
function toFlag({ long = '', flags, description }: CommandHelp['options'][number]): Flag {
  const value = /<(.+?)(?:\.\.\.)?>/.exec(flags)?.[1] ?? /\[(.+?)\]/.exec(flags)?.[1];
  const byDefault = /\(default: ([^)]+)\)/.exec(description)?.[1];
  const environment = /\(env: ([^)]+)\)/.exec(description)?.[1];
  const listed = /: ((?:\w+, )+\w+)(?: \(|$)/.exec(description)?.[1];
  const choices = listed?.split(', ') ?? (value?.includes('|') ? value.split('|') : undefined);
  return {
    name: long,
    ...(value !== undefined && { value }),
    description: description.replace(/ \((default|env): [^)]+\)/g, '').replace(/; repeatable$/, ''),
    ...(byDefault !== undefined && { default: byDefault }),
    ...((description.endsWith('repeatable') || flags.includes('...')) && { repeatable: true }),
    ...(choices && { choices }),
    ...(environment !== undefined && { environment }),
  };
}

/** The page of `help reference`: each command with its own flags, then the flags that commands share. */
export async function formatReference(load: LoadCommand, columns: number): Promise<string> {
  const width = Math.min(columns, MAX_WIDTH);
  const list = (rows: readonly (readonly [string, string])[]) =>
    formatDefinitionList(rows, { width, indent: 2, keepsWords: true });
  const shared = new Map<string, Map<string, string>>();
  const parts: string[][] = [];
  for (const path of listCommandPaths()) {
    const { registeredArguments, options } = await load(path);
    const args = registeredArguments.map((argument) => {
      const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
      return argument.required ? `<${name}>` : `[${name}]`;
    });
    const { summary } = findCommand(path).node;
    for (const { helpGroupHeading: title, flags, description } of options)
      if (title) shared.set(title, (shared.get(title) ?? new Map()).set(flags, description));
    const own = options.filter(({ helpGroupHeading }) => !helpGroupHeading);
    const title = wrap(['formulary', ...path, ...args].join(' '), width);
    parts.push([...title, ...wrap(summary, width), ...list(own.map(({ flags, description }) => [flags, description]))]);
  }
  const groups = [...shared].map(([title, flags]) => [`Flags for ${title.toLowerCase()}`, ...list([...flags])]);
  return `${[...parts, ...groups].map((lines) => lines.join('\n')).join('\n\n')}\n`;
}
