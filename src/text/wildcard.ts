/** Patterns in which `*` matches any characters: of names, and of requests. Pure. */

/** A predicate for complete texts. Linear in the length of the text. */
export function createWildcardMatcher(pattern: string): (text: string) => boolean {
  const [first = '', ...others] = pattern.split('*');
  const last = others.pop();
  if (last === undefined) return (text) => text === first;
  return (text) => {
    const end = text.length - last.length;
    let from = first.length;
    if (from > end || !text.startsWith(first) || !text.endsWith(last)) return false;
    for (const part of others) {
      const found = text.indexOf(part, from);
      if (found < 0) return false;
      from = found + part.length;
    }
    return from <= end;
  };
}

/** A predicate for complete names, case-insensitive. */
export function createNameMatcher(pattern: string): (name: string) => boolean {
  const matches = createWildcardMatcher(fold(pattern));
  return (name) => matches(fold(name));
}

/** The search by name (spec 4.3): case-insensitive, any part of the name; undefined if the pattern matches every name. */
export const createNameSearch = (pattern: string): ((name: string) => boolean) | undefined =>
  /^\**$/.test(pattern) ? undefined : createNameMatcher(`*${pattern}*`);

/** Lower case makes `ẞ` and `ß` equal; upper case then makes `ß` and `ss` equal, and `σ` and `ς`. */
const fold = (text: string): string => text.toLowerCase().toUpperCase();
