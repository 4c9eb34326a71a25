/** The search by name (spec 4.3): case-insensitive, part of the name, `*` matches any characters. */

/** A predicate for a pattern; undefined if the pattern matches every name. Linear in the length of the name. */
export function createNameMatcher(pattern: string): ((name: string) => boolean) | undefined {
  const parts = pattern
    .split('*')
    .map(fold)
    .filter((part) => part !== '');
  if (parts.length === 0) return undefined;
  return (name) => containsInOrder(fold(name), parts);
}

function containsInOrder(text: string, parts: readonly string[]): boolean {
  let from = 0;
  for (const part of parts) {
    const found = text.indexOf(part, from);
    if (found < 0) return false;
    from = found + part.length;
  }
  return true;
}

/** Lower case makes `ẞ` and `ß` equal; upper case then makes `ß` and `ss` equal, and `σ` and `ς`. */
function fold(text: string): string {
  return text.toLowerCase().toUpperCase();
}
