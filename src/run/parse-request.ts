/** Parses the request of an invocation and validates it against the manifest before any code runs. */
import { resolve } from 'node:path';
import { CliError } from '../errors.ts';
import { describeFsError } from '../files/file-errors.ts';
import { readNamedFile } from '../files/regular-file.ts';
import type { Host } from '../host/host.ts';
import type { FormulaBody } from '../model.ts';
import { escapeControls } from '../output/escape.ts';
import { decodeUtf8 } from '../text/decode-utf8.ts';
import { createCommandFormatter, toPathArgument } from '../text/shell-quote.ts';
import { createExampleRequest } from './example-request.ts';
import type { InputProblem } from './json-input.ts';
import { castRequest, findRequestDeviations, type RunRequest } from './validate-request.ts';

/** A longer example would distract from the error. */
const MAX_EXAMPLE_LENGTH = 300;

export interface RequestFlags {
  args?: string | undefined;
  configuration?: string | undefined;
  cast?: boolean | undefined;
  watch?: boolean | undefined;
}

/** Reads both values. Raises usage (2), and invalid (3) with every value that does not match the manifest. */
export async function parseRequest(
  dir: string,
  flags: RequestFlags,
  formula: FormulaBody,
  host: Host,
  note: (text: string) => void,
): Promise<RunRequest> {
  const sources = {
    args: await readJsonFlag('--args', flags.args, host),
    configuration: await readJsonFlag('--configuration', flags.configuration, host),
  };
  for (const { source, warnings } of Object.values(sources))
    for (const { message, position } of warnings)
      note(escapeControls(`warning: ${source}:${position.line}:${position.column}: ${message}`));
  const given = { args: sources.args.value, configuration: sources.configuration.value };
  const request = flags.cast ? castRequest(given, formula) : given;
  const problems = findRequestDeviations(request, formula).map(({ root, path, message }) => {
    const { source, locate } = sources[root];
    return { file: source, ...locate(path), level: 'error', rule: 'contract', message };
  });
  if (problems.length === 0) return request;
  const [first = '', ...others] = problems.map(({ file, line, column, message }) =>
    file.startsWith('--') ? message : `${file}:${line}:${column}: ${message}`,
  );
  const message =
    others.length === 0 ? first : ['the request does not match the manifest:', first, ...others].join('\n  ');
  throw new CliError('invalid', message, {
    hint: [
      `Pass --args and --configuration to match the manifest${flags.cast ? '.' : ' (--cast converts strings to the declared types).'}`,
      ...formatExample(dir, formula, host.platform),
    ].join('\n'),
    details: { findings: problems },
  });
}

/** An example command. On Windows it uses files, since the shells quote JSON differently. */
function formatExample(dir: string, formula: FormulaBody, platform: string): string[] {
  const request = createExampleRequest(formula);
  const flags = (['args', 'configuration'] as const).filter((flag) => Object.keys(request[flag]).length > 0);
  const isInFiles = platform === 'win32';
  const args = flags.flatMap((flag) => [`--${flag}`, isInFiles ? `@${flag}.json` : JSON.stringify(request[flag])]);
  const files = isInFiles ? flags.map((flag) => `${JSON.stringify(request[flag])} in ${flag}.json`) : [];
  const command = createCommandFormatter(platform)('formula run', toPathArgument(dir), ...args);
  const example = `For example, ${files.length > 0 ? `with ${files.join(' and ')}, ` : ''}run: ${command}`;
  return args.length === 0 || example.length > MAX_EXAMPLE_LENGTH ? [] : [example];
}

/** Standard input can be read once, for one of them. Raises usage (2). */
export function assertStdinUsedOnce({ args, configuration, watch }: RequestFlags): void {
  const fromStdin = [args, configuration].filter((typed) => typed === '-').length;
  if (fromStdin === 2) throw new CliError('usage', '--args and --configuration cannot both come from standard input');
  if (fromStdin === 1 && watch)
    throw new CliError('usage', '--watch cannot read --args or --configuration from standard input', {
      hint: 'Pass a file: --args @FILE',
    });
}

const MAX_BYTES = 10 * 2 ** 20;

/**
 * The value of a flag, `{}` by default. Raises usage (2) if a file cannot be read, and invalid (3), with the position,
 * for text that is not JSON, is nested too deep, or is longer than 10 MiB.
 */
async function readJsonFlag(flag: string, typed: string | undefined, host: Host) {
  const start = { line: 1, column: 1 };
  if (typed === undefined) return { value: {}, warnings: [], source: flag, locate: () => start };
  const source = typed.startsWith('@') ? typed.slice(1) : typed === '-' ? 'standard input' : flag;
  const text = (await readText(flag, typed, source, host)).replace(/^\ufeff/, '');
  const { parseJsonInput } = await import('./json-input.ts');
  const parsed = parseJsonInput(text);
  if ('problem' in parsed) throw createJsonError(flag, source, parsed.problem);
  return { ...parsed, source };
}

/** The text of a flag, a file or pipe, or standard input. */
async function readText(flag: string, typed: string, source: string, host: Host): Promise<string> {
  if (typed !== '-' && !typed.startsWith('@')) return typed;
  const bytes = typed === '-' ? await host.readStdin() : readFile(flag, source, host);
  if (bytes.length > MAX_BYTES) {
    const message = `must be at most ${MAX_BYTES / 2 ** 20} MiB`;
    throw createJsonError(flag, source, { message, position: { line: 1, column: 1 } });
  }
  const decoded = decodeUtf8(bytes);
  if ('text' in decoded) return decoded.text;
  const { found, position } = decoded;
  throw createJsonError(flag, source, { message: `must be UTF-8 text (got ${found})`, position });
}

function readFile(flag: string, source: string, host: Host): Buffer {
  if (source === '')
    throw new CliError('usage', `${flag} requires a file name after @`, {
      hint: `Pass a file, for example: ${flag} @args.json`,
    });
  try {
    return readNamedFile(resolve(host.cwd(), source));
  } catch (error) {
    throw new CliError('usage', `${flag}: could not read ${source}: ${describeFsError(error)}`, {
      hint: 'Check the path. To pass JSON directly, omit the @.',
    });
  }
}

function createJsonError(flag: string, source: string, { message, position }: InputProblem): CliError {
  const { line, column } = position;
  const where = source === flag ? `${flag} (line ${line}, column ${column})` : `${flag}: ${source}:${line}:${column}`;
  return new CliError('invalid', `${where}: ${message}`, {
    details: { findings: [{ file: source, line, column, level: 'error', rule: 'json', message }] },
  });
}
