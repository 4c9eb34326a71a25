/** The API key as an object that cannot be shown by accident. */
import { CliError } from '../errors.ts';
import { stringifySafely } from '../output/escape.ts';
import { buildKeyPattern, buildPlainKeyPattern, mayBeEscaped } from './key-encodings.ts';

/** What stands where a secret is not shown. */
export const REDACTED = '[hidden]';

/** Shorter keys are hidden only where they are the whole of a text. */
const MIN_SEARCH_LENGTH = 4;
/** Shorter keys may be words of a formula's code, whose bytes are kept. */
const MIN_CONTENT_SEARCH_LENGTH = 8;
const CONTENT_FIELDS = ['code', 'icon'];

/** Of a key that is this long, the last characters tell it from others without giving it away. */
const MIN_LENGTH_FOR_SUFFIX = 12;
const SUFFIX_LENGTH = 4;

/** Holds a key; every way of printing it shows `[hidden]`. Opened only to be sent, and to be kept by `auth login`. */
export class ApiKey {
  readonly #value: string;
  /** Made when first used, since the second takes a third of what some commands take at all. */
  #plainPattern: RegExp | undefined;
  #pattern: RegExp | undefined;
  /** Where the key came from, in words: `FORMULARY_API_KEY`, a file's path, … */
  readonly source: string;

  constructor(value: string, source: string) {
    this.#value = value;
    this.source = source;
  }

  /** The key itself, for the one header that carries it, and for the profile that keeps it. */
  reveal(): string {
    return this.#value;
  }

  /** The key in words, for a person who must find it: where it came from, and how it ends. */
  describe(): string {
    const end = this.formatSuffix();
    return `the API key from ${this.source}${end === REDACTED ? '' : ` (${end})`}`;
  }

  /**
   * The text with every form of the key in it hidden, as far as a form can be told from other text; JSON stays JSON.
   * `isContent`: the text is a formula's code, where a key as short as a word is left alone, and so is the beginning
   * of a longer one, as code is never cut.
   */
  redactIn(text: string, isContent = false): string {
    if (text === this.#value) return REDACTED;
    if (this.#value.length < MIN_SEARCH_LENGTH || (isContent && this.#isShort())) return text;
    const forms = this.#choosePattern(text);
    if (text.search(forms) >= 0 && isJson(text)) return this.#redactJson(text, forms);
    const shown = text.replace(forms, REDACTED);
    return isContent ? shown : this.#redactTruncatedKey(shown);
  }

  #choosePattern(text: string): RegExp {
    if (mayBeEscaped(text)) {
      this.#pattern ??= buildKeyPattern(this.#value);
      return this.#pattern;
    }
    this.#plainPattern ??= buildPlainKeyPattern(this.#value);
    return this.#plainPattern;
  }

  #isShort(): boolean {
    return this.#value.length < MIN_CONTENT_SEARCH_LENGTH;
  }

  /** A text that was cut off in the middle of the key ends in the beginning of it. */
  #redactTruncatedKey(text: string): string {
    for (let length = this.#value.length - 1; length >= MIN_SEARCH_LENGTH; length--) {
      if (text.endsWith(this.#value.slice(0, length))) return text.slice(0, -length) + REDACTED;
    }
    return text;
  }

  /** Only texts of JSON can hold the key; what else looks like it is a number, or a word that names a field. */
  #redactJson(text: string, forms: RegExp): string {
    let field = '';
    return text.replace(JSON_STRING, (token: string, quoted: string, colon: string | undefined) => {
      const plain = JSON.parse(quoted) as string;
      const isPreserved = colon
        ? FIELD_NAME.test(plain) && FIELD_NAME.test(this.#value)
        : this.#isShort() && CONTENT_FIELDS.includes(field);
      field = colon ? plain : '';
      if (isPreserved || (plain.search(forms) < 0 && quoted.search(forms) < 0)) return token;
      const redacted = plain.replace(forms, REDACTED);
      return `${stringifySafely(redacted === plain ? REDACTED : redacted)}${colon ?? ''}`;
    });
  }

  /** How the key ends, such as `…Xy12`; of one that is too short for that, nothing. */
  formatSuffix(): string {
    return this.#value.length < MIN_LENGTH_FOR_SUFFIX ? REDACTED : `…${this.#value.slice(-SUFFIX_LENGTH)}`;
  }

  toString(): string {
    return REDACTED;
  }

  toJSON(): string {
    return REDACTED;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return REDACTED;
  }
}

/**
 * The key in a text: what is left without the white space at its ends, undefined when that is nothing.
 * Raises usage (2) for what is not printable ASCII on one line, without showing it. `source` says who gave it.
 */
export function parseApiKey(text: string, source: string): ApiKey | undefined {
  const value = text.trim();
  if (value === '') return undefined;
  if (/^[\x21-\x7e]+( +[\x21-\x7e]+)*$/.test(value)) return new ApiKey(value, source);
  throw new CliError('usage', `the API key from ${source} has a line break or a character outside ASCII in it`, {
    hint: 'give the key alone, as the service printed it',
  });
}

/** One long word of letters and digits that is no path with a start or an extension: a key rather than a name. */
export function isLikelyKey(text: string): boolean {
  return /^[^\s./~][^\s:]{15,}$/.test(text) && /\d/.test(text) && /[a-z]/i.test(text) && !/\.[a-z]{1,5}$/i.test(text);
}

/** A text of JSON, and the colon that makes it the name of a field. */
const JSON_STRING = /("(?:[^"\\]|\\.)*")(\s*:)?/g;

const FIELD_NAME = /^[a-z_]{1,24}$/;

/** One JSON document, or one on each line. */
function isJson(text: string): boolean {
  if (!/^\s*[[{"]/.test(text)) return false;
  return isParseable(text) || text.split('\n').every((line) => line.trim() === '' || isParseable(line));
}

function isParseable(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
