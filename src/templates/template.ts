/** A formula to start from: it validates, its cases pass, and it can be published as it is. */
import type { Language } from '../folder/git-attributes.ts';
import type { FormulaBody } from '../model.ts';

export interface Template {
  /** What it is an example of, in a few words. */
  summary: string;
  language: Language;
  /** The description of the formula, where none is given. */
  description: string;
  contract: Pick<FormulaBody, 'configuration' | 'request_parameters'>;
  code: string;
  /** The file of its cases, below tests/. */
  casesFile: string;
  cases: readonly object[];
}
