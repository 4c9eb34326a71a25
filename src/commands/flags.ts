/** Flags that several commands share; each is added to the command itself, so that none shadows another. */
import { type Command, Option, type OptionValues } from '@commander-js/extra-typings';
import { CliError } from '../errors.ts';
import type { Host } from '../host.ts';
import { type Answer, FORMATS } from '../output/formats.ts';

/** Adds the flags that say where requests go and as whom; their values are `ServiceFlags` of settings.ts. */
export function withServiceFlags<Args extends unknown[], Opts extends OptionValues>(command: Command<Args, Opts>) {
  return command
    .addOption(new Option('--base-url <url>', 'base address of the service [FORMULARY_BASE_URL]').helpGroup('Service:'))
    .addOption(new Option('--local', 'use the embedded service in this process').helpGroup('Service:'))
    .addOption(
      new Option('--api-key-file <file>', 'read the API key from a file [FORMULARY_API_KEY]').helpGroup('Service:'),
    )
    .addOption(new Option('--api-key-stdin', 'read the API key from standard input').helpGroup('Service:'))
    .addOption(
      new Option(
        '--api-key-header <name>',
        'header that carries the key (SVC-API-KEY) [FORMULARY_API_KEY_HEADER]',
      ).helpGroup('Service:'),
    )
    .addOption(
      new Option('--timeout <seconds>', 'time limit of one request, body included (30) [FORMULARY_TIMEOUT]').helpGroup(
        'Service:',
      ),
    );
}

export interface OutputFlags {
  output?: string | undefined;
  json?: boolean | undefined;
}

/** Adds -o/--output and --json. */
export function withOutputFlags<Args extends unknown[], Opts extends OptionValues>(command: Command<Args, Opts>) {
  return command
    .option('-o, --output <format>', `how the answer is printed: ${Object.keys(FORMATS).join(' or ')} (table)`)
    .option('--json', 'short for --output json');
}

/** The printer that the flags ask for. Raises usage (2) for an unknown format, before any request is made. */
export function answerPrinter(flags: OutputFlags, host: Host): (answer: Answer) => Promise<void> {
  if (flags.json && flags.output !== undefined && flags.output !== 'json') {
    throw new CliError('usage', `--json and --output ${flags.output} exclude each other`);
  }
  const name = flags.json ? 'json' : (flags.output ?? 'table');
  const format = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
  if (!format) {
    throw new CliError('usage', `--output ${name} is not known; wanted is one of ${Object.keys(FORMATS).join(', ')}`);
  }
  return async (answer) => host.stdout.write(await format(answer, host.stdout));
}

/** Says a note on stderr; silent under --json, where the answer alone counts. */
export function notePrinter(flags: OutputFlags, host: Host): (text: string) => void {
  const isQuiet = flags.json || flags.output === 'json';
  return (text) => {
    if (!isQuiet) host.stderr.write(`${text}\n`);
  };
}
