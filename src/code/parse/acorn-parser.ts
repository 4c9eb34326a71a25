/** acorn with bounds where its time is quadratic in the length of the text, or worse. */
import { Parser } from 'acorn';
import { hasDuplicateGroupName } from './parsed-code.ts';

/** Internals that are not in acorn's types. A version without them would only lack the bounds. */
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

/** acorn records a `var` in each enclosing block, and compares labels pairwise. Real code nests fewer than 50. */
const MAX_NESTED = 200;
/** acorn compares groups with the same name pairwise, with all enclosing branches. */
const MAX_REPEATED_GROUPS = 500;

const internals = Parser.prototype as unknown as ParserInternals;

/**
 * Raises RangeError for code that is nested too deep. acorn's own handler tests the error with a regular expression;
 * compiling that on an exhausted stack makes V8 end the process.
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

/** The declared names of a scope: a set with the array methods that acorn uses. */
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
    // The message repeats the complete expression before the reason.
    state.raise((error as Error).message.replace(/^.*\/\w*: /s, ''));
  }
}
