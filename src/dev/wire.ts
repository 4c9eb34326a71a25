/** The messages between the server of the workbench and its page. Types only. */
import type { Declarations } from '../model.ts';
import type { Doubles } from '../run/doubles/doubles.ts';
import type { RunRequest } from '../run/validate-request.ts';

export interface ListedDeclarations extends Declarations {
  description: string | null;
}

/** A finding of `rules/`, declared here because the page is compiled without the types of Node.js. */
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

/** A test, by its file (`tests/cards.json`) and its index in it. */
export interface TestRef {
  file: string;
  index: number;
}

/** A test that a run can start from. */
export interface ListedTest extends TestRef {
  name: string;
  /** Differs when the test has changed. */
  hash: string;
}

/** The request of a test. */
export interface TestRequest extends RunRequest {
  doubles?: Doubles | undefined;
}

/** Whether a run met the expectation of the test that it started from. */
export interface TestVerdict {
  passed: boolean;
  message: string;
  /** From the expected to the actual outcome. */
  diff?: string;
}

export interface ListedFormula {
  id: string;
  /** Relative to the current folder. */
  folder: string;
  endpoint: string;
  name: string | null;
  /** Differs when the manifest or the code has changed. */
  hash: string;
  valid: boolean;
  findings: readonly ListedFinding[];
  /** For an invalid folder, those of its last valid version. */
  declarations: ListedDeclarations | null;
  tests: readonly ListedTest[];
}

export interface FormulaList {
  version: number;
  /** Whether the published versions can be compared. */
  has_service: boolean;
  formulas: readonly ListedFormula[];
}

export interface RunDetails {
  duration_ms: number;
  /** The output of the code. */
  printed: string;
  warnings: readonly string[];
  calls: readonly ListedCall[];
  /** That of the formula that ran. */
  hash?: string;
  /** Only of a run with the input of its test. */
  test?: TestVerdict | undefined;
}

/** A call of bt or HTTP, whether a double responded, and otherwise one that can be added. */
export interface ListedCall {
  text: string;
  has_double: boolean;
  add?: Doubles;
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
  /** What the code threw. */
  error?: { status?: unknown };
  /** The errors of an invalid folder. */
  findings?: readonly unknown[];
  /** Only with `?details`, with the status of the run. */
  details?: RunDetails & { status: number };
  /** Only of a run that was saved as a test. */
  saved?: { file: string; passes: boolean; warning: string };
}
