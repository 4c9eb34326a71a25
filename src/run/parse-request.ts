/** The request of an invocation as it was typed, held against the contract before any code runs. */
import { CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import type { FormulaBody } from '../model.ts';
import { visible } from '../output/escape.ts';
import { shellWord } from '../text/shell-quote.ts';
import { argsDeviations, castArgs, castConfiguration, configurationDeviations, type Deviation } from './contract.ts';
import { sampleRequest } from './example-request.ts';
import { type GivenJson, jsonFlag } from './json-flag.ts';

/** A longer example would hide what it stands behind. */
const LONGEST_SAMPLE = 300;

interface RequestFlags {
  args?: string | undefined;
  configuration?: string | undefined;
  cast?: boolean | undefined;
  watch?: boolean | undefined;
}

/** Reads both values. Raises usage (2), and invalid (3) with every departure from the contract. */
export async function givenRequest(
  flags: RequestFlags,
  formula: FormulaBody,
  host: Host,
  note: (text: string) => void,
): Promise<{ args: unknown; configuration: unknown }> {
  const { request_parameters, configuration: elements } = formula;
  const args = await jsonFlag('--args', flags.args, host);
  const configuration = await jsonFlag('--configuration', flags.configuration, host);
  for (const { source, remarks } of [args, configuration])
    for (const { message, position } of remarks)
      note(visible(`warning: ${source}:${position.line}:${position.column}: ${message}`));
  const request = {
    args: flags.cast ? castArgs(args.value, request_parameters) : args.value,
    configuration: flags.cast ? castConfiguration(configuration.value, elements) : configuration.value,
  };
  const problems = [
    ...argsDeviations(request.args, request_parameters).map((deviation) => located(deviation, args)),
    ...configurationDeviations(request.configuration, elements).map((deviation) => located(deviation, configuration)),
  ];
  if (problems.length === 0) return request;
  throw new CliError('invalid', problems.map(problemText).join('\n'), {
    hint: `give --args and --configuration as the manifest declares them${sampleWords(formula, host.platform)}${flags.cast ? '' : '; --cast turns texts into the declared types'}`,
    details: { findings: problems },
  });
}

/** Flags that would do, to be run again with other values. On Windows as files: each shell there quotes JSON in another way. */
function sampleWords(formula: FormulaBody, platform: string): string {
  const sample = sampleRequest(formula);
  const flags = (['args', 'configuration'] as const).filter((flag) => Object.keys(sample[flag]).length > 0);
  const isInFiles = platform === 'win32';
  const words = flags.map((flag) => {
    const value = isInFiles ? `@${flag}.json` : JSON.stringify(sample[flag]);
    return `--${flag} ${shellWord(value, platform)}`;
  });
  const files = isInFiles ? flags.map((flag) => `${JSON.stringify(sample[flag])} in ${flag}.json`) : [];
  const example = [words.join(' '), ...files].join(', ');
  return example === '' || example.length > LONGEST_SAMPLE ? '' : `, for instance ${example}`;
}

/** Standard input can be read once, for one of them. Raises usage (2). */
export function refuseStdinTwice({ args, configuration, watch }: RequestFlags): void {
  const fromStdin = [args, configuration].filter((typed) => typed === '-').length;
  if (fromStdin === 2) throw new CliError('usage', '--args and --configuration cannot both come from standard input');
  if (fromStdin === 1 && watch)
    throw new CliError('usage', '--watch runs the code again and again, but standard input can be read only once', {
      hint: 'give --args @FILE',
    });
}

function located({ path, message }: Deviation, { source, locate }: GivenJson) {
  return { file: source, ...locate(path), level: 'error', rule: 'contract', message };
}

const problemText = ({ file, line, column, message }: ReturnType<typeof located>) =>
  file.startsWith('--') ? message : `${file}:${line}:${column}: ${message}`;
