/** The type of a template. The formula of each is valid, passes its tests, and can be published as it is. */
import type { Language } from '../folder/git-attributes.ts';
import type { FormulaBody } from '../model.ts';

export interface Template {
  /** Shown in the help and the prompt. */
  summary: string;
  language: Language;
  /** The default description of the formula. */
  description: string;
  contract: Pick<FormulaBody, 'configuration' | 'request_parameters'>;
  code: string;
  /** The name of the test file in tests/. */
  casesFile: string;
  cases: readonly object[];
}
