/** The wildcard search by name (spec 4.3): part of the name, in any case, `*` for any run of characters. */

/** The test for one pattern; undefined (every name fits) where it asks for nothing. Linear in the name's length. */
export function nameSearch(pattern: string): ((name: string) => boolean) | undefined {
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

/** Lower case first makes one letter of `ẞ` and `ß`, upper case then one of `ß` and `ss`, of `σ` and `ς`. */
function fold(text: string): string {
  return text.toLowerCase().toUpperCase();
}
