/** How an answer is printed: one entry for each value of --output. */
import { safeJson } from './escape.ts';

/** Where an answer goes: the facts about stdout that a format needs. */
export interface Paper {
  isTerminal: boolean;
  hasColour: boolean;
  columns: number;
}

/** An answer as a value for programs, and as a table for people. */
export interface Answer {
  value: unknown;
  /** The table's text; built only when a table is wanted. */
  table(paper: Paper): string | Promise<string>;
}

export const FORMATS: Readonly<Record<string, (answer: Answer, paper: Paper) => string | Promise<string>>> = {
  table: (answer, paper) => answer.table(paper),
  json: ({ value }) => `${safeJson(value, 2)}\n`,
};
