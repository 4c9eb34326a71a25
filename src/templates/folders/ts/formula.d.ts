// Generated from manifest.json by: formulary formula types

/** The arguments of an invocation; undeclared ones are passed through unchecked. */
export interface Args {
  customer: {
    /** Name of the customer */
    name: string;
    [undeclared: string]: unknown;
  };
  /** Use upper case */
  loud?: boolean;
  [undeclared: string]: unknown;
}

/** The settings of the reactor. */
export interface Configuration {
  /** Greeting to use */
  GREETING: string;
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
