/** Formats timestamps relative to the current time. Pure. */

const STEPS: readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number, until: number][] = [
  ['minute', 60, 60 * 60],
  ['hour', 3600, 24 * 3600],
  ['day', 24 * 3600, 30 * 24 * 3600],
];

/** `3 minutes ago`; after 30 days the date (UTC). Invalid and future timestamps are returned unchanged. */
export function formatRelativeTime(timestamp: string, now: Date): string {
  const then = Date.parse(timestamp);
  const seconds = (now.getTime() - then) / 1000;
  // The clocks of two computers differ slightly.
  if (Number.isNaN(then) || seconds < -60) return timestamp;
  if (seconds < 60) return 'just now';
  const [unit, size] = STEPS.find(([, , until]) => seconds < until) ?? [];
  if (unit === undefined || size === undefined) return new Date(then).toISOString().slice(0, 10);
  return new Intl.RelativeTimeFormat('en', { numeric: 'always' }).format(-Math.floor(seconds / size), unit);
}
