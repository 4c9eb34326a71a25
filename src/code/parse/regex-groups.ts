/** The groups of a regular expression. */

/** Its groups without what stands in classes and behind backslashes, where parentheses are plain characters. */
export const extractGroups = (pattern: string): string =>
  pattern.replace(/\\u|\\.|\[(?:\\.|[^\]\\])*\]/gs, (part) => (part === '\\u' ? part : 'x'));

/** The names of the groups that have one. */
export const listGroupNames = (groups: string): string[] =>
  [...groups.matchAll(/\(\?<([^=!>(][^>(]*)>/g)].map(([, name = '']) => name);

/** True where two groups have one name, as in `(?<a>b)|(?<a>c)`. */
export function hasDuplicateGroupName(pattern: string): boolean {
  if (!pattern.includes('(?<')) return false;
  const names = listGroupNames(extractGroups(pattern));
  return new Set(names).size < names.length;
}
