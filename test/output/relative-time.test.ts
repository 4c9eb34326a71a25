import { describe, expect, it } from 'vitest';
import { formatRelativeTime } from '../../src/output/relative-time.ts';

const NOW = new Date('2026-03-31T12:00:00Z');

describe('a moment on a terminal', () => {
  it.each([
    ['2026-03-31T11:59:30.000+00:00', 'just now'],
    ['2026-03-31T12:00:20Z', 'just now'],
    ['2026-03-31T11:59:00Z', '1 minute ago'],
    ['2026-03-31T11:57:10Z', '2 minutes ago'],
    ['2026-03-31T11:00:00Z', '1 hour ago'],
    ['2026-03-30T12:00:01Z', '23 hours ago'],
    ['2026-03-30T12:00:00Z', '1 day ago'],
    ['2026-03-01T12:00:01Z', '29 days ago'],
    ['2026-03-01T12:00:00Z', '2026-03-01'],
    ['2027-01-01T00:00:00Z', '2027-01-01T00:00:00Z'],
    ['yesterday', 'yesterday'],
    ['', ''],
  ])('%s is "%s"', (moment, said) => {
    expect(formatRelativeTime(moment, NOW)).toBe(said);
  });
});
