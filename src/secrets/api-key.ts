/** The API key as an object that cannot be shown by accident. */
import { CliError } from '../errors.ts';
import { safeJson } from '../output/escape.ts';
import { keyForms, mayBeEscaped, plainKeyForms } from './key-encodings.ts';

/** What stands where a secret is not shown. */
export const HIDDEN = '[hidden]';

/** Shorter keys are hidden only where they are the whole of a text. */
const MIN_SEARCHED = 4;
/** Shorter keys may be words of a formula's code, whose bytes are kept. */
const MIN_SEARCHED_IN_CONTENT = 8;
const CONTENT_FIELDS = ['code', 'icon'];

/** Of a key that is this long, the last characters tell it from others without giving it away. */
const MIN_TOLD = 12;
const TOLD = 4;

/** Holds a key; every way of printing it shows `[hidden]`. Opened only to be sent, and to be kept by `auth login`. */
export class ApiKey {
  readonly #value: string;
  /** Made when first used, since the second takes a third of what some commands take at all. */
  #plainForms: RegExp | undefined;
  #forms: RegExp | undefined;
  /** Where the key came from, in words: `FORMULARY_API_KEY`, a file's path, … */
  readonly source: string;

  constructor(value: string, source: string) {
    this.#value = value;
    this.source = source;
  }

  /** The key itself, for the one header that carries it, and for the profile that keeps it. */
  open(): string {
    return this.#value;
  }

  /** The key in words, for a person who must find it: where it came from, and how it ends. */
  describe(): string {
    const end = this.ending();
    return `the API key from ${this.source}${end === HIDDEN ? '' : ` (${end})`}`;
  }

  /**
   * The text with every form of the key in it hidden, as far as a form can be told from other text; JSON stays JSON.
   * `isContent`: the text is a formula's code, where a key as short as a word is left alone, and so is the beginning
   * of a longer one, as code is never cut.
   */
  hideIn(text: string, isContent = false): string {
    if (text === this.#value) return HIDDEN;
    if (this.#value.length < MIN_SEARCHED || (isContent && this.#isShort())) return text;
    const forms = this.#formsFor(text);
    if (text.search(forms) >= 0 && isJson(text)) return this.#hideInJson(text, forms);
    const shown = text.replace(forms, HIDDEN);
    return isContent ? shown : this.#withoutCutKey(shown);
  }

  #formsFor(text: string): RegExp {
    if (mayBeEscaped(text)) {
      this.#forms ??= keyForms(this.#value);
      return this.#forms;
    }
    this.#plainForms ??= plainKeyForms(this.#value);
    return this.#plainForms;
  }

  #isShort(): boolean {
    return this.#value.length < MIN_SEARCHED_IN_CONTENT;
  }

  /** A text that was cut off in the middle of the key ends in the beginning of it. */
  #withoutCutKey(text: string): string {
    for (let length = this.#value.length - 1; length >= MIN_SEARCHED; length--) {
      if (text.endsWith(this.#value.slice(0, length))) return text.slice(0, -length) + HIDDEN;
    }
    return text;
  }

  /** Only texts of JSON can hold the key; what else looks like it is a number, or a word that names a field. */
  #hideInJson(text: string, forms: RegExp): string {
    let field = '';
    return text.replace(JSON_TEXT, (token: string, quoted: string, colon: string | undefined) => {
      const plain = JSON.parse(quoted) as string;
      const isKept = colon
        ? WORD.test(plain) && WORD.test(this.#value)
        : this.#isShort() && CONTENT_FIELDS.includes(field);
      field = colon ? plain : '';
      if (isKept || (plain.search(forms) < 0 && quoted.search(forms) < 0)) return token;
      const hidden = plain.replace(forms, HIDDEN);
      return `${safeJson(hidden === plain ? HIDDEN : hidden)}${colon ?? ''}`;
    });
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

/** A text of JSON, and the colon that makes it the name of a field. */
const JSON_TEXT = /("(?:[^"\\]|\\.)*")(\s*:)?/g;

const WORD = /^[a-z_]{1,24}$/;

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
