/** Flags that several commands share; each is added to the command itself, so that none shadows another. */
import { type Command, Option, type OptionValues } from '@commander-js/extra-typings';
import { CliError } from '../errors.ts';
import type { Host, OutputStream } from '../host/host.ts';
import { escapeControls } from '../output/escape.ts';
import { FORMATS, type Text, toItems, type View } from '../output/formats.ts';

/** Adds the flags that say where requests go and as whom; their values are `ServiceFlags` of settings.ts. */
export function withServiceFlags<Args extends unknown[], Opts extends OptionValues>(command: Command<Args, Opts>) {
  return command
    .addOption(new Option('--base-url <url>', 'base address of the service [FORMULARY_BASE_URL]').helpGroup('Service:'))
    .addOption(new Option('--local', 'use the embedded service in this process').helpGroup('Service:'))
    .addOption(profileOption().helpGroup('Service:'))
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
    )
    .addOption(
      new Option('--ca-file <file>', 'trust the certificates of this file too (PEM) [NODE_EXTRA_CA_CERTS]').helpGroup(
        'Service:',
      ),
    )
    .addOption(
      new Option('--insecure-http', 'allow http:// to another machine: the key travels unencrypted').helpGroup(
        'Service:',
      ),
    )
    .addOption(
      new Option('--target <name>', 'name of the service in the lock and the history [FORMULARY_TARGET]').helpGroup(
        'Service:',
      ),
    )
    .addOption(new Option('--debug', 'show each request and answer on stderr, without the key').helpGroup('Service:'))
    .addOption(
      new Option('--retry-timeout <seconds>', 'time for all tries of one request (120)').helpGroup('Service:'),
    );
}

/** --profile, for commands that need no other flag about the service. */
export const profileOption = () =>
  new Option('--profile <profile>', 'address and key that auth login kept under this name [FORMULARY_PROFILE]');

/** --data of the commands about the embedded service. */
export const dataOption = () => new Option('--data <file>', 'data file of the embedded service [FORMULARY_LOCAL_DATA]');

export interface OutputFlags {
  output?: string | undefined;
  json?: boolean | undefined;
  fields?: string | undefined;
  verbose?: boolean | undefined;
}

/** Adds the flags that say how the answer is printed; their values are `OutputFlags`. */
export function withOutputFlags<Args extends unknown[], Opts extends OptionValues>(command: Command<Args, Opts>) {
  const group = 'Output:';
  return command
    .addOption(new Option('-o, --output <format>', `${Object.keys(FORMATS).join(', ')} (table)`).helpGroup(group))
    .addOption(new Option('--json', 'short for --output json').helpGroup(group))
    .addOption(new Option('--fields <names>', 'only these fields, in this order, divided by commas').helpGroup(group))
    .addOption(new Option('--verbose', 'say more on stderr, notes too').helpGroup(group))
    .addOption(new Option('--color', 'colour even where stdout is no terminal [FORCE_COLOR]').helpGroup(group))
    .addOption(new Option('--no-color', 'no colour [NO_COLOR]').helpGroup(group));
}

/** The printer that the flags ask for. Raises usage (2) for flags that are wrong, before any request is made. */
export function createPrinter(flags: OutputFlags, host: Host): (view: View) => Promise<void> {
  if (flags.json && flags.output !== undefined && flags.output !== 'json') {
    throw new CliError('usage', `--json and --output ${flags.output} exclude each other`);
  }
  const name = flags.json ? 'json' : (flags.output ?? 'table');
  const format = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
  if (!format) {
    throw new CliError('usage', `--output ${name} is not known; wanted is one of ${Object.keys(FORMATS).join(', ')}`);
  }
  const fields = flags.fields?.split(',').map((field) => field.trim());
  if (fields?.includes(''))
    throw new CliError('usage', '--fields has an empty name; wanted are names divided by commas, such as id,name');
  return async (answer) => {
    const shown = fields ? await pickFields(answer, fields, host) : answer;
    await writeText(host.stdout, await format(shown, host.stdout));
  };
}

/** Fewer and larger writes take less time. */
const MIN_WRITE = 64 * 1024;

async function writeText(out: OutputStream, text: Text): Promise<void> {
  if (typeof text === 'string') return out.write(text);
  let waiting = '';
  for (const piece of text) {
    waiting += piece;
    if (waiting.length < MIN_WRITE) continue;
    out.write(waiting);
    waiting = '';
    // A reader that has gone away, and signals, are heard in between.
    await new Promise<void>((goOn) => void setImmediate(goOn));
  }
  out.write(waiting);
}

/** A field that nothing has is no failure: what was asked for may be done by now. */
async function pickFields(view: View, fields: readonly string[], host: Host): Promise<View> {
  const { findUnknownFields, selectFields } = await import('../output/fields.ts');
  const unknown = findUnknownFields(view, fields);
  if (unknown.length > 0) {
    const known = Object.keys(toItems(view.value)[0] ?? {}).join(', ');
    host.stderr.write(
      `warning: nothing has the field ${escapeControls(unknown.join(', '))}; there are ${escapeControls(known)}\n`,
    );
  }
  return selectFields(view, fields);
}

/** Says a note on stderr; silent where the answer is for a program, unless --verbose asks for it. */
export function createNotePrinter(flags: OutputFlags, host: Host): (text: string) => void {
  const isQuiet = (flags.json || flags.output === 'json') && !flags.verbose;
  return (text) => {
    if (!isQuiet) host.stderr.write(`${text}\n`);
  };
}

/** A whole number of at least 1. Raises usage (2) and names the flag. */
export function parseCount(text: string | undefined, flag: string): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new CliError('usage', `${flag} is "${text}"; wanted is a whole number of at least 1`);
}

/** A rate as `50` or `50/s`, parts of one too. Raises usage (2) and names the flag. */
export function parseRate(text: string | undefined, flag: string): number | undefined {
  if (text === undefined) return undefined;
  const rate = /^\d+(\.\d+)?(\/s)?$/.test(text) ? Number.parseFloat(text) : 0;
  if (rate > 0 && rate <= 1_000_000) return rate;
  throw new CliError(
    'usage',
    `${flag} is "${text}"; wanted is a number of requests a second, for instance ${flag} 50/s`,
  );
}
