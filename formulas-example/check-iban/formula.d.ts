// Generated from manifest.json by: formulary formula types

/** The arguments of an invocation; undeclared ones are passed through unchecked. */
export interface Args {
  account: {
    /** Spaces and small letters are fine */
    iban: string;
    /** Name of the account holder */
    holder?: string;
    [undeclared: string]: unknown;
  };
  [undeclared: string]: unknown;
}

/** The settings of the reactor. */
export interface Configuration {
  /** Country codes that are taken, divided by commas; empty for all that are known */
  COUNTRIES: string;
}

/** What the service passes to the function. */
export interface FormulaRequest {
  args: Args;
  configuration: Configuration;
  /** A client of the service; null where the service provides none. */
  bt: Record<string, Record<string, (...values: unknown[]) => Promise<unknown>>> | null;
}

/** What the function returns. */
export interface FormulaResponse {
  /** Returned in plain text. */
  raw?: object;
  /** Turned into tokens. */
  tokenize?: object;
}

export type Formula = (request: FormulaRequest) => Promise<FormulaResponse>;
