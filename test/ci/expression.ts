/** The part of GitHub's expression language that the action and the recipes use. */

/** Values by name, such as `inputs.mode`; a name without a value is the empty string. */
export type Contexts = Readonly<Record<string, string | boolean>>;
type Value = string | boolean;

const TOKEN = /\s*('(?:[^']|'')*'|[A-Za-z_][\w-]*(?:\.[\w-]+)*|==|!=|&&|\|\||[()!,])/y;

const FUNCTIONS: Readonly<Record<string, (...args: Value[]) => Value>> = {
  always: () => true,
  cancelled: () => false,
  startsWith: (text = '', start = '') => String(text).startsWith(String(start)),
};

/** The value of an expression, without its `${{ }}`. */
export function evaluate(expression: string, contexts: Contexts): Value {
  const tokens = tokensIn(expression);
  const value = either(tokens, contexts);
  if (tokens.length > 0) throw new Error(`cannot read ${tokens[0]} in ${expression}`);
  return value;
}

/** A text with its expressions replaced by their values. */
export const interpolate = (text: string, contexts: Contexts): string =>
  text.replace(/\$\{\{\s*(.*?)\s*\}\}/g, (_, expression: string) => String(evaluate(expression, contexts)));

function tokensIn(expression: string): string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  for (let end = 0; expression.slice(end).trim() !== ''; end = TOKEN.lastIndex) {
    const token = TOKEN.exec(expression)?.[1];
    if (token === undefined) throw new Error(`cannot read ${expression.slice(end)}`);
    tokens.push(token);
  }
  return tokens;
}

function either(tokens: string[], contexts: Contexts): Value {
  let value = both(tokens, contexts);
  while (take(tokens, '||')) {
    const right = both(tokens, contexts);
    value ||= right;
  }
  return value;
}

function both(tokens: string[], contexts: Contexts): Value {
  let value = comparison(tokens, contexts);
  while (take(tokens, '&&')) {
    const right = comparison(tokens, contexts);
    value &&= right;
  }
  return value;
}

function comparison(tokens: string[], contexts: Contexts): Value {
  const left = operand(tokens, contexts);
  if (take(tokens, '==')) return isEqual(left, operand(tokens, contexts));
  if (take(tokens, '!=')) return !isEqual(left, operand(tokens, contexts));
  return left;
}

/** GitHub compares strings without regard to case. */
const isEqual = (left: Value, right: Value) => String(left).toLowerCase() === String(right).toLowerCase();

function operand(tokens: string[], contexts: Contexts): Value {
  const token = tokens.shift() ?? '';
  if (token === '!') return !operand(tokens, contexts);
  if (token === '(') return closed(tokens, either(tokens, contexts));
  if (token.startsWith("'")) return token.slice(1, -1).replaceAll("''", "'");
  return take(tokens, '(') ? call(token, tokens, contexts) : (contexts[token] ?? '');
}

function call(name: string, tokens: string[], contexts: Contexts): Value {
  const args: Value[] = [];
  while (tokens[0] !== ')' && tokens.length > 0) {
    args.push(either(tokens, contexts));
    take(tokens, ',');
  }
  const value = FUNCTIONS[name];
  if (!value) throw new Error(`unknown function ${name}`);
  return closed(tokens, value(...args));
}

function closed(tokens: string[], value: Value): Value {
  if (!take(tokens, ')')) throw new Error('a parenthesis is not closed');
  return value;
}

function take(tokens: string[], token: string): boolean {
  if (tokens[0] !== token) return false;
  tokens.shift();
  return true;
}
