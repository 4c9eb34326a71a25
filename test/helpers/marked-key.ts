/** Keys that can be told from any other text, and a search for them in every form in which they could get out. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A usual key; one of signs that URLs, JSON, HTML, shells, CSV and patterns escape; one that a CI log would act on. */
export const MARKED_KEYS: readonly [plain: string, escaped: string, ci: string] = [
  'key_Zq7Xw9Vb3Nm5Kj1Hf8',
  `Zq7"X\\w9/V+b3=N&m<5>K%j'1 H#f8?$*^|{~}@`,
  '::Zq7Xw9##[Vb3]%0ANm5::Kj1,Hf8:',
];

/** Of the key as it is, any part that is this long counts: half a key is a leak too. More than the end that is shown. */
const PART = 7;
/** Of an encoded form, any part of this length. */
const ENCODED_PART = 14;

const each = (key: string, form: (code: string) => string) =>
  [...key].map((character) => form(character.charCodeAt(0).toString(16).padStart(2, '0'))).join('');

/** The ways to write a key. */
export function formsOf(key: string): Record<string, string> {
  return {
    'as it is': key,
    'in JSON': JSON.stringify(key).slice(1, -1),
    'in JSON twice': JSON.stringify(JSON.stringify(key)).slice(2, -2),
    'in JSON with escapes': each(key, (hex) => `\\u00${hex}`),
    'in a URL': encodeURIComponent(key),
    'in a URL twice': encodeURIComponent(encodeURIComponent(key)),
    'in a form': new URLSearchParams({ k: key }).toString().slice(2),
    'in a URL wholly': each(key, (hex) => `%${hex}`),
    'in HTML': key.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
    'in HTML by numbers': each(key, (hex) => `&#${Number.parseInt(hex, 16)};`),
    'in a workflow command': key.replaceAll('%', '%25').replaceAll(':', '%3A').replaceAll(',', '%2C'),
    'in CSV': key.replaceAll('"', '""'),
    'in hex': Buffer.from(key).toString('hex'),
    ...Object.fromEntries(
      ['', 'x', 'xx'].flatMap((before) =>
        (['base64', 'base64url'] as const).map((form) => [
          `in ${form}, from byte ${before.length}`,
          Buffer.from(before + key).toString(form),
        ]),
      ),
    ),
  };
}

/** Makes a search for a key: gives what it found in a text, as the form with the part; capitals do not matter. */
export function searchFor(key: string): (text: string) => string[] {
  const parts = Object.entries(formsOf(key)).flatMap(([form, text]) => {
    const length = text.length < 2 * key.length && !/base64|hex/.test(form) ? PART : ENCODED_PART;
    // The ends of base64 may encode characters next to the key.
    const sure = form.includes('base64') ? text.slice(4, -4) : text;
    const count = Math.max(1, sure.length - length + 1);
    return Array.from({ length: count }, (_, i) => [sure.slice(i, i + length).toLowerCase(), form] as const);
  });
  // One look for all; which it was is asked only when there is something to tell.
  const all = new RegExp([...new Set(parts.map(([part]) => literal(part)))].join('|'), 'i');
  return (text) => {
    if (!all.test(text)) return [];
    const lower = text.toLowerCase();
    return parts.filter(([part]) => lower.includes(part)).map(([part, form]) => `${form}: ${part}`);
  };
}

const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');

/** Every file in a folder with its content; bytes that are not UTF-8 are read one by one. */
export function textsBelow(folder: string): { file: string; text: string }[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({ file, text: `${file}\n${readFileSync(file, 'latin1')}` }));
}
