/** Reads the body of a write as a JSON object, within limits of size and depth. */
import { attempt } from '../errors.ts';
import { MAX_DEPTH, scanJson } from '../text/json-scan.ts';
import { isObject } from '../text/json-type.ts';
import { HttpProblem, invalidRequestProblem } from './problem.ts';

const MAX_BYTES = 10 * 1024 * 1024;
const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json$/i;
const UTF_8 = /^charset\s*=\s*(?:"utf-?8"|utf-?8)$/i;

/** @throws HttpProblem 415 for another content type, charset, or encoding, 413 above 10 MiB, 400 for anything but a JSON object. */
export async function readJsonObject(request: Request): Promise<Record<string, unknown>> {
  assertJsonFormat(request.headers);
  return parseJsonObject(decode(await readBytes(request)));
}

function assertJsonFormat(headers: Headers): void {
  const [mediaType = '', ...parameters] = (headers.get('content-type') ?? '').split(';').map((part) => part.trim());
  if (!JSON_TYPE.test(mediaType))
    throw new HttpProblem(415, 'The body must be JSON, with Content-Type: application/json.');
  const charset = parameters.find((parameter) => /^charset\s*=/i.test(parameter));
  if (charset !== undefined && !UTF_8.test(charset)) throw new HttpProblem(415, 'The body must be UTF-8.');
  const encoding = headers.get('content-encoding') ?? 'identity';
  if (!/^identity$/i.test(encoding.trim())) {
    throw new HttpProblem(415, 'The body must not be compressed: Content-Encoding is not supported.');
  }
}

/** @throws HttpProblem 413 above 10 MiB, 400 for anything but a JSON object. */
export function parseJsonObject(text: string): Record<string, unknown> {
  if (Buffer.byteLength(text) > MAX_BYTES) throw tooLargeProblem();
  if (scanJson(text, MAX_DEPTH).tooDeep.length > 0)
    throw invalidRequestProblem({ body: [`must not be nested deeper than ${MAX_DEPTH} levels`] });
  const value: unknown = attempt(() => JSON.parse(text));
  if (value === undefined) throw invalidRequestProblem({ body: ['must be valid JSON'] });
  if (!isObject(value)) throw invalidRequestProblem({ body: ['must be a JSON object'] });
  return value;
}

/** Stops reading a body that is too large; the server drains the rest for a while after the response. */
async function readBytes(request: Request): Promise<Buffer> {
  if (Number(request.headers.get('content-length')) > MAX_BYTES) throw tooLargeProblem();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (const reader = request.body?.getReader(); reader; ) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > MAX_BYTES) throw tooLargeProblem();
    chunks.push(value);
  }
  return Buffer.concat(chunks);
}

const tooLargeProblem = () => new HttpProblem(413, `The body is larger than ${MAX_BYTES / 1024 / 1024} MiB.`);

function decode(bytes: Buffer): string {
  const text = attempt(() => new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  if (text === undefined) throw invalidRequestProblem({ body: ['must be UTF-8'] });
  return text;
}
