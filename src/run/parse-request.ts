/** Parses the request of an invocation and validates it against the manifest before any code runs. */
import { CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import type { FormulaBody } from '../model.ts';
import { escapeControls } from '../output/escape.ts';
import { createCommandFormatter, toPathArgument } from '../text/shell-quote.ts';
import { createExampleRequest } from './example-request.ts';
import { type JsonArgument, readJsonFlag } from './json-flag.ts';
import {
  castArgs,
  castConfiguration,
  type Deviation,
  findArgsDeviations,
  findConfigurationDeviations,
} from './validate-request.ts';

/** A longer example would distract from the error. */
const MAX_EXAMPLE_LENGTH = 300;

interface RequestFlags {
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
): Promise<{ args: unknown; configuration: unknown }> {
  const { request_parameters, configuration: elements } = formula;
  const args = await readJsonFlag('--args', flags.args, host);
  const configuration = await readJsonFlag('--configuration', flags.configuration, host);
  for (const { source, warnings } of [args, configuration])
    for (const { message, position } of warnings)
      note(escapeControls(`warning: ${source}:${position.line}:${position.column}: ${message}`));
  const request = {
    args: flags.cast ? castArgs(args.value, request_parameters) : args.value,
    configuration: flags.cast ? castConfiguration(configuration.value, elements) : configuration.value,
  };
  const problems = [
    ...findArgsDeviations(request.args, request_parameters).map((deviation) => locateDeviation(deviation, args)),
    ...findConfigurationDeviations(request.configuration, elements).map((deviation) =>
      locateDeviation(deviation, configuration),
    ),
  ];
  if (problems.length === 0) return request;
  const [first = '', ...others] = problems.map(formatProblem);
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

function locateDeviation({ path, message }: Deviation, { source, locate }: JsonArgument) {
  return { file: source, ...locate(path), level: 'error', rule: 'contract', message };
}

const formatProblem = ({ file, line, column, message }: ReturnType<typeof locateDeviation>) =>
  file.startsWith('--') ? message : `${file}:${line}:${column}: ${message}`;
