/** The API key as an object that cannot be shown by accident. */
import { CliError } from './errors.ts';

/** What stands where a secret is not shown. */
export const HIDDEN = '[hidden]';

/** Shorter keys are not looked for in texts: they would be found where they are not. */
const MIN_SEARCHED = 8;

/** Of a key that is this long, the last characters tell it from others without giving it away. */
const MIN_TOLD = 16;
const TOLD = 4;

/** Holds a key; every way of printing it shows `[hidden]`. Opened only to be sent, and to be kept by `auth login`. */
export class ApiKey {
  readonly #value: string;
  readonly #forms: RegExp | undefined;
  /** Where the key came from, in words: `FORMULARY_API_KEY`, a file's path, … */
  readonly source: string;

  constructor(value: string, source: string) {
    this.#value = value;
    this.source = source;
    this.#forms = value.length >= MIN_SEARCHED ? formsOf(value) : undefined;
  }

  /** The key itself, for the one header that carries it, and for the profile that keeps it. */
  open(): string {
    return this.#value;
  }

  /** The text with every form of the key in it hidden: as it is, escaped for URLs, JSON or HTML, and in base64. */
  hideIn(text: string): string {
    return this.#forms ? text.replace(this.#forms, HIDDEN) : text;
  }

  /** How the key ends, such as `…Xy12`; of one that is too short for that, nothing. */
  ending(): string {
    return this.#value.length < MIN_TOLD ? HIDDEN : `…${this.#value.slice(-TOLD)}`;
  }

  toString(): string {
    return HIDDEN;
  }

  toJSON(): string {
    return HIDDEN;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return HIDDEN;
  }
}

/**
 * The key in a text: what is left without the white space at its ends, undefined when that is nothing.
 * Raises usage (2) for what is not printable ASCII on one line, without showing it. `source` says who gave it.
 */
export function keyIn(text: string, source: string): ApiKey | undefined {
  const value = text.trim();
  if (value === '') return undefined;
  if (/^[\x21-\x7e]+( +[\x21-\x7e]+)*$/.test(value)) return new ApiKey(value, source);
  throw new CliError('usage', `the API key from ${source} has a line break or a character outside ASCII in it`, {
    hint: 'give the key alone, as the service printed it',
  });
}

/** One long word of letters and digits that is no path with a start or an extension: a key rather than a name. */
export function looksLikeKey(word: string): boolean {
  return /^[^\s./~][^\s:]{15,}$/.test(word) && /\d/.test(word) && /[a-z]/i.test(word) && !/\.[a-z]{1,5}$/i.test(word);
}

function formsOf(value: string): RegExp {
  const spelled = [...value].map((character) => `(?:${spellings(character).join('|')})`).join('');
  return new RegExp([spelled, ...base64Forms(value)].join('|'), 'g');
}

/** How one character of printable ASCII can be written. */
function spellings(character: string): string[] {
  const code = character.charCodeAt(0);
  const hex = [...code.toString(16).padStart(2, '0')]
    .map((digit) => (/\d/.test(digit) ? digit : `[${digit}${digit.toUpperCase()}]`))
    .join('');
  return [
    literal(character),
    `\\\\${literal(character)}`,
    `%${hex}`,
    `\\\\u00${hex}`,
    `\\\\x${hex}`,
    `&#x${hex};`,
    `&#${code};`,
  ];
}

/** The characters of base64 that the key alone decides, wherever it stands in what was encoded; and of base64url. */
function base64Forms(value: string): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const encoded = Buffer.from(' '.repeat(offset) + value)
      .toString('base64')
      .replace(/=+$/, '');
    const sure = encoded.slice(offset === 0 ? 0 : offset + 1, Math.floor(((offset + value.length) * 4) / 3));
    return [literal(sure), literal(sure.replaceAll('+', '-').replaceAll('/', '_'))];
  });
}

const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
