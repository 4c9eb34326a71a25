/** acorn, for any text: where it would take the time of the square of the text, or more, it is bounded. */
import { Parser } from 'acorn';
import { hasDuplicateGroupName } from './regex-groups.ts';

/** What of the parser is not in its types; of another version that lacks it, only the bounds are gone. */
interface ParserInternals {
  scopeStack: { var: NameSet; lexical: NameSet; functions: NameSet }[];
  labels: object[];
  enterScope(flags: number): void;
  parseLabeledStatement(...rest: unknown[]): unknown;
  validateRegExpPattern(state: RegExpState): void;
}

interface RegExpState {
  source: string;
  flags: string;
  raise(message: string): never;
}

/** acorn notes a `var` in each block around it, and compares labels with each other; code nests less than 50 of them. */
const MAX_NESTED = 200;
/** acorn compares groups of one name with each other, and all branches around them. */
const MAX_REPEATED_GROUPS = 500;

const internals = Parser.prototype as unknown as ParserInternals;

/**
 * Raises RangeError for what is too deep. acorn itself would look with a regular expression whether an error is one of
 * the stack; to compile that where the stack has just ended makes V8 end the process.
 */
export const BoundedParser: typeof Parser = Parser.extend(
  (base) =>
    class extends base {
      catchStackOverflow<T>(parse: () => T): T {
        return parse();
      }

      enterScope(this: ParserInternals, flags: number): void {
        internals.enterScope.call(this, flags);
        if (this.scopeStack.length > MAX_NESTED) throw new RangeError('scopes are nested too deep');
        const [scope] = this.scopeStack.slice(-1);
        if (scope) Object.assign(scope, { var: new NameSet(), lexical: new NameSet(), functions: new NameSet() });
      }

      parseLabeledStatement(this: ParserInternals, ...rest: unknown[]): unknown {
        if (this.labels.length > MAX_NESTED) throw new RangeError('labels are nested too deep');
        return internals.parseLabeledStatement.apply(this, rest);
      }

      validateRegExpPattern(this: ParserInternals, state: RegExpState): void {
        const { source, flags } = state;
        if (source.length > MAX_REPEATED_GROUPS && hasDuplicateGroupName(source))
          validateWithEngine(state, source, flags);
        else internals.validateRegExpPattern.call(this, state);
      }
    },
);

/** The names that a scope declares: what acorn uses of an array, without a search through it. */
class NameSet {
  0: string | undefined;
  #names = new Set<string>();

  push(name: string): void {
    this[0] ??= name;
    this.#names.add(name);
  }

  indexOf(name: string): number {
    return this.#names.has(name) ? 0 : -1;
  }
}

function validateWithEngine(state: RegExpState, source: string, flags: string): void {
  try {
    new RegExp(source, flags);
  } catch (error) {
    // It repeats the whole expression before the reason.
    state.raise((error as Error).message.replace(/^.*\/\w*: /s, ''));
  }
}
