// Generated from manifest.json by: formulary formula types

/** The arguments of an invocation; undeclared ones are passed through unchecked. */
export interface Args {
  account: {
    /** Spaces and lower case are allowed */
    iban: string;
    /** Name of the account holder */
    holder?: string;
    [undeclared: string]: unknown;
  };
  [undeclared: string]: unknown;
}

/** The settings of the reactor. */
export interface Configuration {
  /** Accepted country codes, comma-separated; empty for all */
  COUNTRIES: string;
}

/** The argument of the function. */
export interface FormulaRequest {
  args: Args;
  configuration: Configuration;
  /** A client of the service; null if the reactor has no application. */
  bt: Record<string, Record<string, (...values: unknown[]) => Promise<unknown>>> | null;
}

/** The result of the function. */
export interface FormulaResponse {
  /** Returned in plain text. */
  raw?: object;
  /** Turned into tokens. */
  tokenize?: object;
}

export type Formula = (request: FormulaRequest) => Promise<FormulaResponse>;
