/** An API key that cannot be printed by accident. */
import { attempt, CliError } from '../errors.ts';
import { stringifySafely } from '../output/escape.ts';
import { buildKeyPattern, buildPlainKeyPattern, mayBeEscaped } from './key-encodings.ts';

/** Replaces a secret in output. */
export const REDACTED = '[hidden]';

/** Shorter keys are redacted only if they are the complete text. */
const MIN_SEARCH_LENGTH = 4;
/** Shorter keys may be words in a formula's code, whose bytes must not change. */
const MIN_CONTENT_SEARCH_LENGTH = 8;
const CONTENT_FIELDS = ['code', 'icon'];

/** Keys of this length are identified by their last characters. */
const MIN_LENGTH_FOR_SUFFIX = 12;
const SUFFIX_LENGTH = 4;

/** Prints as `[hidden]`. Revealed only to be sent, and to be saved by `auth login`. */
export class ApiKey {
  readonly #value: string;
  /** Created when first used: the second takes up to a third of a command's time. */
  #plainPattern: RegExp | undefined;
  #pattern: RegExp | undefined;
  /** `FORMULARY_API_KEY`, a file's path, … */
  readonly source: string;

  constructor(value: string, source: string) {
    this.#value = value;
    this.source = source;
  }

  /** The key itself, for its header and its profile. */
  reveal(): string {
    return this.#value;
  }

  /** Source and suffix of the key, for messages. */
  describe(): string {
    const end = this.formatSuffix();
    return `the API key from ${this.source}${end === REDACTED ? '' : ` (${end})`}`;
  }

  /**
   * Replaces every encoding of the key in a text; JSON stays valid. `isContent`: the text is a formula's code, in which
   * short keys are left alone, and so are truncated keys, because code is never truncated.
   */
  redactIn(text: string, isContent = false): string {
    if (text === this.#value) return REDACTED;
    if (this.#value.length < MIN_SEARCH_LENGTH || (isContent && this.#isShort())) return text;
    const forms = this.#choosePattern(text);
    if (text.search(forms) >= 0 && isJson(text)) return this.#redactJson(text, forms);
    const redacted = text.replace(forms, REDACTED);
    return isContent ? redacted : this.#redactTruncatedKey(redacted);
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

  /** A truncated text may end with the first part of the key. */
  #redactTruncatedKey(text: string): string {
    for (let length = this.#value.length - 1; length >= MIN_SEARCH_LENGTH; length--) {
      if (text.endsWith(this.#value.slice(0, length))) return text.slice(0, -length) + REDACTED;
    }
    return text;
  }

  /** Redacts strings only; numbers and field names stay. */
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

  /** The suffix, such as `…Xy12`; `[hidden]` for a short key. */
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
 * Trims a key; undefined if nothing is left. Raises usage (2) for anything but printable ASCII on one line, without showing
 * it.
 */
export function parseApiKey(text: string, source: string): ApiKey | undefined {
  const value = text.trim();
  if (value === '') return undefined;
  if (/^[\x21-\x7e]+( +[\x21-\x7e]+)*$/.test(value)) return new ApiKey(value, source);
  throw new CliError('usage', `the API key from ${source} must not contain line breaks or non-ASCII characters`, {
    hint: 'Use only the key, as the service printed it.',
  });
}

/** Whether an argument looks like a key: one long word with letters and digits that does not look like a path. */
export function isLikelyKey(text: string): boolean {
  return /^[^\s./~][^\s:]{15,}$/.test(text) && /\d/.test(text) && /[a-z]/i.test(text) && !/\.[a-z]{1,5}$/i.test(text);
}

/** A JSON string, and the colon after a field name. */
const JSON_STRING = /("(?:[^"\\]|\\.)*")(\s*:)?/g;

const FIELD_NAME = /^[a-z_]{1,24}$/;

/** One JSON document, or one on each line. */
function isJson(text: string): boolean {
  if (!/^\s*[[{"]/.test(text)) return false;
  const isParseable = (one: string) => attempt(() => JSON.parse(one)) !== undefined;
  return isParseable(text) || text.split('\n').every((line) => line.trim() === '' || isParseable(line));
}
