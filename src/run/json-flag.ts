/** --args and --configuration: JSON on the command line, in a file, or on standard input. */
import { closeSync, openSync, readSync } from 'node:fs';
import { resolve } from 'node:path';
import { CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { decodeUtf8 } from '../text/decode-utf8.ts';
import type { JsonPath } from '../text/json-with-positions.ts';
import type { Position } from '../text/source-position.ts';
import type { InputProblem } from './json-input.ts';

/** A value that was given, and how to name places in it. */
export interface JsonArgument {
  value: unknown;
  warnings: readonly InputProblem[];
  /** What the value is called in messages: the flag or the file. */
  source: string;
  locate(path: JsonPath): Position;
}

const MAX_BYTES = 10 * 2 ** 20;

/**
 * The value of a flag; without the flag `{}`. Raises usage (2) for a file that cannot be read, and invalid (3), with
 * the place, for what is no JSON, too deep or longer than 10 MiB.
 */
export async function readJsonFlag(flag: string, typed: string | undefined, host: Host): Promise<JsonArgument> {
  const start = { line: 1, column: 1 };
  if (typed === undefined) return { value: {}, warnings: [], source: flag, locate: () => start };
  const source = typed.startsWith('@') ? typed.slice(1) : typed === '-' ? 'standard input' : flag;
  const text = (await readText(flag, typed, source, host)).replace(/^\ufeff/, '');
  const { parseJsonInput } = await import('./json-input.ts');
  const parsed = parseJsonInput(text);
  if ('fault' in parsed) throw createJsonError(flag, source, parsed.fault);
  return { ...parsed, source };
}

async function readText(flag: string, typed: string, source: string, host: Host): Promise<string> {
  if (typed === '-') return decodeWithinLimit(flag, source, Buffer.from(await host.readStdin()));
  if (!typed.startsWith('@')) return typed;
  return decodeWithinLimit(flag, source, readBytes(flag, source, host));
}

/** Reads a file, a pipe or a device, but never more than the limit and one byte. */
function readBytes(flag: string, source: string, host: Host): Buffer {
  if (source === '') throw new CliError('usage', `${flag} names no file behind the @`, { hint: `${flag} @args.json` });
  try {
    const file = openSync(resolve(host.cwd(), source), 'r');
    try {
      const bytes = Buffer.alloc(MAX_BYTES + 1);
      let length = 0;
      for (let read = -1; read !== 0 && length < bytes.length; length += read)
        read = readSync(file, bytes, length, bytes.length - length, null);
      return bytes.subarray(0, length);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw new CliError(
      'usage',
      `${flag}: the file ${source} cannot be read (${(error as NodeJS.ErrnoException).code})`,
      {
        hint: 'check the path; JSON itself is given without the @',
      },
    );
  }
}

function decodeWithinLimit(flag: string, source: string, bytes: Buffer): string {
  if (bytes.length > MAX_BYTES) {
    const message = `it is longer than ${MAX_BYTES / 2 ** 20} MiB, more than an invocation carries`;
    throw createJsonError(flag, source, { message, position: { line: 1, column: 1 } });
  }
  const decoded = decodeUtf8(bytes);
  if ('text' in decoded) return decoded.text;
  throw createJsonError(flag, source, {
    message: `it is not UTF-8 text: ${decoded.found}`,
    position: decoded.position,
  });
}

function createJsonError(flag: string, source: string, { message, position }: InputProblem): CliError {
  const { line, column } = position;
  const where = source === flag ? `${flag} (line ${line}, column ${column})` : `${flag}: ${source}:${line}:${column}`;
  return new CliError('invalid', `${where}: ${message}`, {
    details: { findings: [{ file: source, line, column, level: 'error', rule: 'json', message }] },
  });
}
