/** The API key as an object that cannot be shown by accident. */

const HIDDEN = '[hidden]';

/** Holds a key; every way of printing it shows `[hidden]`. Only the transport opens it. */
export class ApiKey {
  readonly #value: string;
  /** Where the key came from, in words: `FORMULARY_API_KEY`, a file's path, … */
  readonly source: string;

  constructor(value: string, source: string) {
    this.#value = value;
    this.source = source;
  }

  /** The key itself, for the one header that carries it. */
  open(): string {
    return this.#value;
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
