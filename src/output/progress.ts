/** Progress of long work: one line on a terminal that is written over, nothing elsewhere. */
import type { Sink } from '../host/host.ts';

export interface Progress {
  /** Counts one more as done, and as failed when it did. */
  step(hasFailed: boolean): void;
  /** Takes the line away. */
  end(): void;
}

const REDRAW_MS = 100;

/** Begins to show how much of `total` is done. No escape sequence is used: the line is written over from its start. */
export function startProgress(sink: Sink, now: () => Date, what: string, total: number): Progress {
  if (!sink.isTerminal || total === 0) return { step: () => undefined, end: () => undefined };
  const start = now().getTime();
  let [done, failed, drawn, length] = [0, 0, 0, 0];
  const write = (text: string) => {
    const line = text.slice(0, Math.max(0, sink.columns - 1));
    sink.write(`\r${line.padEnd(length)}${line.length < length ? `\r${line}` : ''}`);
    length = line.length;
  };
  const draw = () => {
    drawn = now().getTime();
    write(`${what}: ${progressText({ done, failed, total, elapsedMs: drawn - start })}`);
  };
  draw();
  return {
    step: (hasFailed) => {
      done += 1;
      if (hasFailed) failed += 1;
      if (now().getTime() - drawn >= REDRAW_MS || done === total) draw();
    },
    end: () => {
      write('');
      sink.write('\r');
    },
  };
}

/** Count, rate, failures and the time that is left, as far as they can be told. */
export function progressText(state: { done: number; failed: number; total: number; elapsedMs: number }): string {
  const { done, failed, total, elapsedMs } = state;
  const rate = elapsedMs > 0 ? (done * 1000) / elapsedMs : 0;
  return [
    `${done} of ${total}`,
    ...(rate > 0 ? [`${rate < 10 ? rate.toFixed(1) : Math.round(rate)} a second`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(rate > 0 && done < total ? [`${duration((total - done) / rate)} left`] : []),
  ].join(', ');
}

/** Seconds as people say them. */
const duration = (seconds: number) =>
  seconds < 90 ? `${Math.max(1, Math.round(seconds))} s` : `${Math.round(seconds / 60)} min`;
