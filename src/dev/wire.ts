/** The messages between the server of the workbench and its page. Types only. */
import type { ConfigurationElement, RequestParameter } from '../model.ts';

export interface Declarations {
  description: string | null;
  configuration: ConfigurationElement[];
  request_parameters: RequestParameter[];
}

export interface ListedFinding {
  file: string;
  line: number;
  column: number;
  level: 'error' | 'warning' | 'note';
  rule: string;
  message: string;
  fix?: string;
  /** The source lines around it. */
  frame?: string;
}

/** A test that a run can start from. */
export interface ListedTest {
  file: string;
  /** Its index in the file. */
  index: number;
  name: string;
}

/** The request of a test. */
export interface TestRequest {
  args: unknown;
  configuration: unknown;
}

export interface ListedFormula {
  id: string;
  /** Relative to the current folder. */
  folder: string;
  endpoint: string;
  name: string | null;
  valid: boolean;
  findings: readonly ListedFinding[];
  /** For an invalid folder, those of its last valid version. */
  declarations: Declarations | null;
  tests: readonly ListedTest[];
}

export interface FormulaList {
  version: number;
  formulas: readonly ListedFormula[];
}

export interface RunDetails {
  duration_ms: number;
  /** The output of the code. */
  printed: string;
  warnings: readonly string[];
  /** The calls of a run that started from a test. */
  calls: readonly ListedCall[];
}

/** A call of bt or HTTP, and whether a double responded. */
export interface ListedCall {
  text: string;
  has_double: boolean;
}

/** The body of an endpoint's response: that of the code, or an error. */
export interface RunBody {
  raw?: unknown;
  tokenize?: unknown;
  message?: string;
  hint?: string;
  /** Errors of a request that does not match the manifest, by parameter: `args.card.number`. */
  errors?: Readonly<Record<string, readonly string[]>>;
  location?: { file: string; line: number; column: number };
  frame?: string;
  /** Only with `?details`; `run` names a run that can be saved as a test. */
  details?: RunDetails & { run?: string };
}
