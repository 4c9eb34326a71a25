import { describe, expect, it } from 'vitest';
import { formatProgress, startProgress } from '../../src/output/progress.ts';

function terminal(isTerminal = true, columns = 80) {
  const written: string[] = [];
  return {
    written,
    stream: { write: (text: string) => void written.push(text), isTerminal, hasColor: false, columns },
  };
}

describe('progressText', () => {
  it.each([
    [{ done: 0, failed: 0, total: 10, elapsedMs: 0 }, '0 of 10'],
    [{ done: 5, failed: 0, total: 10, elapsedMs: 1999 }, '5 of 10, 2.5 per second'],
    [{ done: 5, failed: 0, total: 10, elapsedMs: 2000 }, '5 of 10, 2.5 per second, 2 s left'],
    [{ done: 100, failed: 3, total: 10_000, elapsedMs: 2000 }, '100 of 10000, 50 per second, 3 failed, 3 min left'],
    [{ done: 10, failed: 1, total: 10, elapsedMs: 1000 }, '10 of 10, 10 per second, 1 failed'],
  ])('formats %j: %s', (state, text) => {
    expect(formatProgress(state)).toBe(text);
  });
});

describe('startProgress', () => {
  it('is silent without a terminal, and without items', () => {
    const pipe = terminal(false);
    const progress = startProgress(pipe.stream, () => new Date(0), 'push', 3);
    progress.step(false);
    progress.end();
    const nothing = terminal();
    startProgress(nothing.stream, () => new Date(0), 'push', 0).end();
    expect([pipe.written, nothing.written]).toEqual([[], []]);
  });

  it('rewrites one line, at once, then ten times a second, without escape sequences, and erases it', () => {
    let time = 0;
    const { written, stream } = terminal(true, 24);
    const progress = startProgress(stream, () => new Date(time), 'push', 3);
    expect(written).toEqual(['\rpush: 0 of 3']);
    time = 50;
    progress.step(false);
    expect(written).toHaveLength(1);
    time = 1000;
    progress.step(true);
    expect(written[1]).toBe('\rpush: 2 of 3, 2.0 per s');
    progress.end();
    expect(written.join('')).toMatch(/\r {23}\r\r$/);
    expect(written.join('')).not.toContain('\u001b');
  });
});
