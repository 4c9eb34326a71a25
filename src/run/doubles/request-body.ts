/** The body of a request as a value that a test can compare. Pure. */
import { attempt } from '../../errors.ts';

/** Longer bodies are not reported. */
const MAX_BYTES = 2 ** 20;

/** JSON as its value, a form as an object of its fields, other text as a string; undefined for everything else. */
export function readBody(bytes: Buffer, contentType = ''): unknown {
  if (bytes.length === 0 || bytes.length > MAX_BYTES) return undefined;
  const text = bytes.toString('utf8');
  if (/^multipart\/form-data/i.test(contentType)) return readParts(bytes.toString('latin1'), contentType) ?? text;
  if (text.includes('\ufffd')) return undefined;
  if (/^application\/x-www-form-urlencoded/i.test(contentType)) return readForm(text);
  const json: unknown = attempt(() => JSON.parse(text));
  return json === undefined ? text : json;
}

/** A field that occurs several times is an array. */
function readForm(text: string): unknown {
  const form = new URLSearchParams(text);
  return Object.fromEntries(
    [...form.keys()].map((name) => {
      const values = form.getAll(name);
      return [name, values.length === 1 ? values[0] : values];
    }),
  );
}

/** The fields of a multipart form; a file counts as a field with its content. */
function readParts(text: string, contentType: string): unknown {
  const [, quoted, boundary = quoted] = /boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType) ?? [];
  if (boundary === undefined) return undefined;
  const parts = text.split(`--${boundary}`).slice(1, -1);
  return Object.fromEntries(
    parts.map((part) => {
      const end = part.indexOf('\r\n\r\n');
      const [, name = ''] = /name="([^"]*)"/i.exec(part.slice(0, end)) ?? [];
      return [name, Buffer.from(part.slice(end + 4, -2), 'latin1').toString('utf8')];
    }),
  );
}
