/** Formats times of the embedded service: ISO 8601 with an offset. */

/** For example `2026-01-31T12:00:00.000+00:00`. */
export function formatIsoWithOffset(date: Date): string {
  return date.toISOString().replace('Z', '+00:00');
}
