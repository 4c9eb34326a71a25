/** Groups of regular expressions. */

/** Removes classes and escapes, where parentheses are plain characters. */
export const extractGroups = (pattern: string): string =>
  pattern.replace(/\\u|\\.|\[(?:\\.|[^\]\\])*\]/gs, (part) => (part === '\\u' ? part : 'x'));

/** The names of named groups. */
export const listGroupNames = (groups: string): string[] =>
  [...groups.matchAll(/\(\?<([^=!>(][^>(]*)>/g)].map(([, name = '']) => name);

/** Whether two groups have the same name: `(?<a>b)|(?<a>c)`. */
export function hasDuplicateGroupName(pattern: string): boolean {
  if (!pattern.includes('(?<')) return false;
  const names = listGroupNames(extractGroups(pattern));
  return new Set(names).size < names.length;
}
