/** An emulated terminal: shows its screen, and reports other effects of the output. */
import { Terminal } from '@xterm/headless';

export interface Seen {
  /** The lines on the screen, those that were wrapped joined again, without white space at their ends. */
  lines: string[];
  /** Changes of the terminal: modes, title, bell, responses, colors, tab stops, the cursor position. */
  changed: string[];
}

const PROBE = 'q\tq';

/** Writes a text to a new terminal, and then a few letters that show what state it was left in. */
export async function shownOn(columns: number, text: string): Promise<Seen> {
  const size = { cols: columns, rows: 50, scrollback: 100_000 };
  const terminal = new Terminal({ ...size, allowProposedApi: true, convertEol: true });
  const changed: string[] = [];
  terminal.onTitleChange((title) => changed.push(`title ${JSON.stringify(title)}`));
  terminal.onBell(() => changed.push('bell'));
  terminal.onData((data) => changed.push(`answer ${JSON.stringify(data)}`));
  for (const code of [8, 52, 7, 9, 1337])
    terminal.parser.registerOscHandler(code, () => {
      changed.push(`OSC ${code}`);
      return false;
    });
  // Of a cursor that is hidden nothing else tells.
  for (const final of ['h', 'l'])
    terminal.parser.registerCsiHandler({ prefix: '?', final }, (modes) => {
      changed.push(`mode ${modes}`);
      return false;
    });
  const before = stateOf(terminal);
  await write(terminal, text);
  if (terminal.buffer.active.cursorX !== 0 && text.endsWith('\n')) changed.push('cursor');
  const after = stateOf(terminal);
  if (after !== before) changed.push(`${before} became ${after}`);
  const lines = linesOf(terminal);
  await write(terminal, `\n${PROBE}`);
  changed.push(...probed(terminal));
  terminal.dispose();
  return { lines, changed };
}

const write = (terminal: Terminal, text: string) => new Promise<void>((done) => terminal.write(text, done));

const stateOf = ({ modes, buffer, cols, rows }: Terminal) => JSON.stringify([modes, buffer.active.type, cols, rows]);

function linesOf({ buffer: { active } }: Terminal): string[] {
  const lines: string[] = [];
  for (let y = 0; y <= active.baseY + active.cursorY; y++) {
    const line = active.getLine(y);
    const text = line?.translateToString(false) ?? '';
    if (line?.isWrapped) lines.push((lines.pop() ?? '') + text);
    else lines.push(text);
  }
  return lines.map((line) => line.trimEnd());
}

/** The letters must be where they were typed, without colors. */
function probed({ buffer: { active } }: Terminal): string[] {
  const line = active.getLine(active.baseY + active.cursorY);
  const [first, second] = [line?.getCell(0), line?.getCell(8)];
  const isPlain = [first, second].every(
    (cell) =>
      cell?.getChars() === 'q' &&
      cell.isFgDefault() &&
      cell.isBgDefault() &&
      ![cell.isBold(), cell.isDim(), cell.isInverse(), cell.isInvisible(), cell.isUnderline(), cell.isBlink()].some(
        Boolean,
      ),
  );
  return isPlain ? [] : [`what is typed next: ${JSON.stringify(line?.translateToString(true))}`];
}
