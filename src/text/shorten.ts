/** Shortens texts and lists for messages. Pure. */

/** The text, or its first characters and `…`; never ends inside a surrogate pair. */
export const truncateText = (text: string, maxLength: number): string =>
  text.length > maxLength ? `${text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '')}…` : text;

/** `a, b, and 3 more`: up to `max` of the names. */
export function listFirst(names: readonly string[], max = 5): string {
  const shown = names.slice(0, max).join(', ');
  return names.length > max ? `${shown}, and ${names.length - max} more` : shown;
}
