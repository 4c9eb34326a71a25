/** Reads the output of a formula's process. */
import type { Readable } from 'node:stream';

/** A promise, and the function that resolves it. */
export function createSignal() {
  let set: () => void = () => undefined;
  const wait = new Promise<void>((done) => {
    set = done;
  });
  return { wait, set };
}

/** Passes output on as it arrives, up to `mark`, if that is not empty. */
export function readOutput(stream: Readable | null, mark: string, onText: (text: string) => void) {
  let held = '';
  const marked = createSignal();
  if (mark === '') marked.set();
  const onData = (text: string) => {
    const all = held + text;
    const at = mark === '' ? -1 : all.indexOf(mark);
    const end = at < 0 ? Math.max(0, all.length - mark.length) : at;
    onText(all.slice(0, end));
    held = at < 0 ? all.slice(end) : '';
    if (at >= 0) marked.set();
  };
  stream?.on('data', onData);
  return {
    /** Resolves when the mark was read. */
    marked: marked.wait,
    end: () => {
      stream?.off('data', onData);
      onText(held);
    },
  };
}
