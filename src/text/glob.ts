/** Patterns for paths: `*` and `?` within a name, `**` for any folders, `[a-z]`, and `{one,other}`. Pure. */

/** Matches a path with `/`, relative to the folder that the pattern is relative to, or any folder that contains it. */
export type PathMatcher = (path: string) => boolean;

/** The matcher of a pattern; undefined for an empty one. */
export function createPathMatcher(pattern: string): PathMatcher | undefined {
  const trimmed = pattern.replace(/^(\.\/+)+/, '').replace(/\/+$/, '');
  if (trimmed === '') return undefined;
  const expression = new RegExp(`^(?:${toExpression(trimmed)})(?:/|$)`, 'su');
  return (path) => expression.test(path);
}

/** The parts of a pattern, each with its regular expression; a bracket that is not closed is a character. */
const PARTS: readonly [part: RegExp, expression: (found: RegExpExecArray) => string][] = [
  [/\*\*\//y, () => '(?:.*/)?'],
  [/\*\*/y, () => '.*'],
  [/\*/y, () => '[^/]*'],
  [/\?/y, () => '[^/]'],
  [/\[([!^]?)((?:\]|[^\]/])[^\]/]*)\]/y, ([, not = '', set = '']) => `(?!/)[${not && '^'}${quoteSet(set)}]`],
  [/\{([^{}]*,[^{}]*)\}/y, ([, list = '']) => `(?:${list.split(',').map(toExpression).join('|')})`],
  [/\\(.)/suy, ([, character = '']) => quote(character)],
  [/./suy, ([character]) => quote(character)],
];

function toExpression(pattern: string): string {
  let [at, expression] = [0, ''];
  while (at < pattern.length) {
    for (const [part, write] of PARTS) {
      part.lastIndex = at;
      const found = part.exec(pattern);
      if (!found) continue;
      expression += write(found);
      at += found[0].length;
      break;
    }
  }
  return expression;
}

const quote = (character: string) => character.replace(/[\\^$.*+?()[\]{}|/]/u, '\\$&');

const quoteSet = (set: string) => set.replace(/[\\\]^[]/g, '\\$&');
