/** Flags that several commands share, and the output that they control. */
import { type Command, Option, type OptionValues } from '@commander-js/extra-typings';
import { CliError } from '../errors.ts';
import type { Host, OutputStream } from '../host/host.ts';
import { assertKnownFields, assertPresentFields, selectFields } from '../output/fields.ts';
import { FORMATS, type Text, type View } from '../output/formats.ts';
import { wrapMessage } from '../output/wrap-message.ts';

const serviceOption = <const Flags extends string>(flags: Flags, description: string) =>
  new Option(flags, description).helpGroup('Service:');

/** Adds the flags that select the service and the API key; their values are `ServiceFlags`. */
export const withServiceFlags = <Args extends unknown[], Opts extends OptionValues>(command: Command<Args, Opts>) =>
  withConnectionFlags(command).addOption(
    serviceOption('--timeout <seconds>', 'time limit per request (default: 30) (env: FORMULARY_TIMEOUT)'),
  );

/** The same without --timeout, which may limit something else. */
export function withConnectionFlags<Args extends unknown[], Opts extends OptionValues>(command: Command<Args, Opts>) {
  const option = serviceOption;
  return command
    .addOption(option('--base-url <url>', 'base URL of the service (env: FORMULARY_BASE_URL)'))
    .addOption(option('--local', 'use the embedded service'))
    .addOption(profileOption().helpGroup('Service:'))
    .addOption(option('--api-key-file <file>', 'file that contains the API key (env: FORMULARY_API_KEY_FILE)'))
    .addOption(option('--api-key-stdin', 'read the API key from standard input'))
    .addOption(
      option(
        '--api-key-header <name>',
        'request header for the API key (default: SVC-API-KEY) (env: FORMULARY_API_KEY_HEADER)',
      ),
    )
    .addOption(option('--ca-file <file>', 'additional CA certificates to trust, PEM (env: NODE_EXTRA_CA_CERTS)'))
    .addOption(option('--insecure-http', 'allow http:// to other computers; the API key is sent unencrypted'))
    .addOption(
      option('--target <name>', 'name of the service in the lock file and the history (env: FORMULARY_TARGET)'),
    )
    .addOption(option('--debug', 'show each request and response on stderr, without the key'))
    .addOption(option('--retry-timeout <seconds>', 'time limit for all attempts of a request (default: 120)'));
}

/** --profile, for commands that need no other service flag. */
export const profileOption = () =>
  new Option('--profile <profile>', 'saved base URL and key to use (env: FORMULARY_PROFILE)').argParser(
    (profile: string, before?: string): string => {
      if (before === undefined) return profile;
      throw new CliError('usage', '--profile was passed twice');
    },
  );

/** Lets --profile be passed several times; the profiles are in the array once the command runs. */
export function collectProfiles({ options }: { options: readonly Option[] }): readonly string[] {
  const profiles: string[] = [];
  const option = options.find(({ long }) => long === '--profile');
  option?.argParser((profile) => {
    if (!profiles.includes(profile)) profiles.push(profile);
    return profile;
  });
  if (option) option.description = 'saved base URL and key to use; repeatable (env: FORMULARY_PROFILE)';
  return profiles;
}

/** --data, for commands of the embedded service. */
export const dataOption = () =>
  new Option('--data <file>', 'data file of the embedded service (env: FORMULARY_LOCAL_DATA)');

export interface OutputFlags {
  output?: string | undefined;
  json?: boolean | undefined;
  fields?: string | undefined;
  verbose?: boolean | undefined;
  /** Of commands that send requests. */
  debug?: boolean | undefined;
}

/** Adds the flags that control the output; their values are `OutputFlags`. */
export function withOutputFlags<Args extends unknown[], Opts extends OptionValues>(command: Command<Args, Opts>) {
  const option = <const Flags extends string>(flags: Flags, description: string) =>
    new Option(flags, description).helpGroup('Output:');
  const formats = Object.keys(FORMATS).join(', ');
  return command
    .addOption(option('-o, --output <format>', `output format: ${formats} (default: table)`))
    .addOption(option('--json', 'same as --output json'))
    .addOption(option('--fields <names>', 'comma-separated list of the fields to print, in this order'))
    .addOption(option('--verbose', 'print additional details, such as notes, on stderr'))
    .addOption(option('--color', 'use colors even if stdout is not a terminal (env: FORCE_COLOR)'))
    .addOption(option('--no-color', 'never use colors (env: NO_COLOR)'));
}

/**
 * Prints in the format that the flags select. With `hasOtherFields`, items may have fields that are not known. Raises usage
 * (2) for invalid flags and unknown fields; call before any request.
 */
export function createPrinter(
  flags: OutputFlags,
  host: Host,
  known: readonly string[],
  hasOtherFields = false,
): (view: View) => Promise<void> {
  if (flags.json && flags.output !== undefined && flags.output !== 'json') {
    throw new CliError('usage', `--json and --output ${flags.output} cannot be used together`);
  }
  const name = flags.json ? 'json' : (flags.output ?? 'table');
  const format = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
  if (!format) {
    throw new CliError(
      'usage',
      `invalid value "${name}" for --output: must be one of ${Object.keys(FORMATS).join(', ')}`,
    );
  }
  const fields = flags.fields?.split(',').map((field) => field.trim());
  if (fields?.includes('')) throw new CliError('usage', '--fields must be a comma-separated list, for example id,name');
  if (fields && !hasOtherFields) assertKnownFields(fields, known);
  return async (view) => {
    if (fields) assertPresentFields(view, fields, known);
    const selected = fields ? selectFields(view, fields) : view;
    await writeText(host.stdout, await format(selected, host.stdout));
  };
}

/** Characters per write: fewer, larger writes are faster. */
const MIN_WRITE = 64 * 1024;

async function writeText(out: OutputStream, text: Text): Promise<void> {
  if (typeof text === 'string') return out.write(text);
  let buffer = '';
  for (const piece of text) {
    buffer += piece;
    if (buffer.length < MIN_WRITE) continue;
    out.write(buffer);
    buffer = '';
    // Lets the event loop handle signals and a closed pipe.
    await new Promise<void>((resolve) => void setImmediate(resolve));
  }
  out.write(buffer);
}

/** The first of the flags that is set, as it is typed. */
export function findFlag<Name extends string>(
  flags: { readonly [name in Name]?: unknown },
  names: readonly Name[],
): string | undefined {
  const name = names.find((one) => flags[one] !== undefined);
  return name && `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Whether the result is printed as one JSON document. */
export const isJsonOutput = ({ json, output }: OutputFlags): boolean => json === true || output === 'json';

/** Prints notes on stderr; with --json only if --verbose or --debug is set. */
export function createNotePrinter(flags: OutputFlags, host: Host): (text: string) => void {
  const isQuiet = isJsonOutput(flags) && !flags.verbose && !flags.debug;
  return (text) => {
    if (!isQuiet) host.stderr.write(`${wrapMessage(text, host.stderr)}\n`);
  };
}

/** An integer of 1 or more. Raises usage (2). */
export function parseCount(text: string | undefined, flag: string): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new CliError('usage', `invalid value "${text}" for ${flag}: must be an integer of 1 or more`);
}

/** Requests per second, as `50`, `0.5`, or `50/s`. Raises usage (2). */
export function parseRate(text: string | undefined, flag: string): number | undefined {
  if (text === undefined) return undefined;
  const rate = /^\d+(\.\d+)?(\/s)?$/.test(text) ? Number.parseFloat(text) : 0;
  if (rate > 0 && rate <= 1_000_000) return rate;
  throw new CliError(
    'usage',
    `invalid value "${text}" for ${flag}: must be a number of requests per second, for example 50/s`,
  );
}
