/** --args and --configuration: JSON on the command line, in a file, or on standard input. */
import { closeSync, openSync, readSync } from 'node:fs';
import { resolve } from 'node:path';
import { CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { decodeUtf8 } from '../text/decode-utf8.ts';
import type { JsonPath } from '../text/json-with-positions.ts';
import type { Position } from '../text/source-position.ts';
import type { InputProblem } from './json-input.ts';

/** The value of a flag, with positions in its text. */
export interface JsonArgument {
  value: unknown;
  warnings: readonly InputProblem[];
  /** The flag or the file, for messages. */
  source: string;
  locate(path: JsonPath): Position;
}

const MAX_BYTES = 10 * 2 ** 20;

/**
 * The value of a flag, `{}` by default. Raises usage (2) if a file cannot be read, and invalid (3), with the position,
 * for text that is not JSON, is nested too deep, or is longer than 10 MiB.
 */
export async function readJsonFlag(flag: string, typed: string | undefined, host: Host): Promise<JsonArgument> {
  const start = { line: 1, column: 1 };
  if (typed === undefined) return { value: {}, warnings: [], source: flag, locate: () => start };
  const source = typed.startsWith('@') ? typed.slice(1) : typed === '-' ? 'standard input' : flag;
  const text = (await readText(flag, typed, source, host)).replace(/^\ufeff/, '');
  const { parseJsonInput } = await import('./json-input.ts');
  const parsed = parseJsonInput(text);
  if ('problem' in parsed) throw createJsonError(flag, source, parsed.problem);
  return { ...parsed, source };
}

async function readText(flag: string, typed: string, source: string, host: Host): Promise<string> {
  if (typed === '-') return decodeWithinLimit(flag, source, Buffer.from(await host.readStdin()));
  if (!typed.startsWith('@')) return typed;
  return decodeWithinLimit(flag, source, readBytes(flag, source, host));
}

/** Reads a file, a pipe, or a device, at most one byte more than the limit. */
function readBytes(flag: string, source: string, host: Host): Buffer {
  if (source === '')
    throw new CliError('usage', `${flag} requires a file name after @`, {
      hint: `Pass a file, for example: ${flag} @args.json`,
    });
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
    throw new CliError('usage', `${flag}: could not read ${source}: ${(error as NodeJS.ErrnoException).code}`, {
      hint: 'Check the path. To pass JSON directly, omit the @.',
    });
  }
}

function decodeWithinLimit(flag: string, source: string, bytes: Buffer): string {
  if (bytes.length > MAX_BYTES) {
    const message = `must be at most ${MAX_BYTES / 2 ** 20} MiB`;
    throw createJsonError(flag, source, { message, position: { line: 1, column: 1 } });
  }
  const decoded = decodeUtf8(bytes);
  if ('text' in decoded) return decoded.text;
  throw createJsonError(flag, source, {
    message: `must be UTF-8 text (got ${decoded.found})`,
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
