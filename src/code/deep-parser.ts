/** acorn, for text of any depth. */
import { Parser } from 'acorn';

/**
 * Raises RangeError for what is too deep. acorn itself would look with a regular expression whether an error is one of
 * the stack; to compile that where the stack has just ended makes V8 end the process.
 */
export const DeepParser: typeof Parser = Parser.extend(
  (base) =>
    class extends base {
      catchStackOverflow<T>(parse: () => T): T {
        return parse();
      }
    },
);
