/** Prints the output of another program line by line. */
import { escapeControlsByLine } from './escape.ts';

const MAX_CHARACTERS = 2 ** 20;

/** Escapes control characters; stops after the first MiB. */
export function createLinePrinter(write: (text: string) => void): { take(text: string): void; end(): void } {
  let [rest, shown] = ['', 0];
  const show = (text: string) => {
    if (shown > MAX_CHARACTERS) return;
    shown += text.length;
    write(escapeControlsByLine(text));
    if (shown > MAX_CHARACTERS) write('… output truncated\n');
  };
  return {
    take: (text) => {
      rest += text;
      const end = rest.lastIndexOf('\n') + 1;
      if (end > 0) show(rest.slice(0, end));
      // An endless line is dropped so that it cannot fill the memory.
      rest = rest.length - end > MAX_CHARACTERS ? '' : rest.slice(end);
    },
    end: () => {
      if (rest) show(`${rest}\n`);
    },
  };
}
