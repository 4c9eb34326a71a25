/** A progress line on a terminal; nothing elsewhere. */
import type { OutputStream } from '../host/host.ts';

export interface Progress {
  /** Counts a completed step. */
  step(hasFailed: boolean): void;
  /** Clears the line. */
  end(): void;
}

const REDRAW_MS = 100;
/** Before, the rate says little about the remaining time. */
const ESTIMATE_AFTER_MS = 2000;

/** Shows the progress of `total` steps. Overwrites the line after a carriage return, without escape sequences. */
export function startProgress(stream: OutputStream, now: () => Date, label: string, total: number): Progress {
  if (!stream.isTerminal || total === 0) return { step: () => undefined, end: () => undefined };
  const start = now().getTime();
  let [done, failed, drawnAt, length] = [0, 0, 0, 0];
  const write = (text: string) => {
    const line = text.slice(0, Math.max(0, stream.columns - 1));
    stream.write(`\r${line.padEnd(length)}${line.length < length ? `\r${line}` : ''}`);
    length = line.length;
  };
  const draw = () => {
    drawnAt = now().getTime();
    write(`${label}: ${formatProgress({ done, failed, total, elapsedMs: drawnAt - start })}`);
  };
  draw();
  return {
    step: (hasFailed) => {
      done += 1;
      if (hasFailed) failed += 1;
      if (now().getTime() - drawnAt >= REDRAW_MS || done === total) draw();
    },
    end: () => {
      write('');
      stream.write('\r');
    },
  };
}

/** The count and, as far as known, the rate, the failures, and the remaining time. */
export function formatProgress(state: { done: number; failed: number; total: number; elapsedMs: number }): string {
  const { done, failed, total, elapsedMs } = state;
  const rate = elapsedMs > 0 ? (done * 1000) / elapsedMs : 0;
  return [
    `${done} of ${total}`,
    ...(rate > 0 ? [`${rate < 10 ? rate.toFixed(1) : Math.round(rate)} per second`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(rate > 0 && done < total && elapsedMs >= ESTIMATE_AFTER_MS
      ? [`${formatDuration((total - done) / rate)} left`]
      : []),
  ].join(', ');
}

const formatDuration = (seconds: number) =>
  seconds < 90 ? `${Math.max(1, Math.round(seconds))} s` : `${Math.round(seconds / 60)} min`;
