/** The screen of an emulated terminal as an SVG: text in the 16 colors, in a window that is dark on any page. */

const FONT = 14;
const WIDE = 8.4;
const HIGH = 19;
const EDGE = 16;
const BAR = 32;

/** Black to white, and the same again bright, as readable on the window as the colors of a terminal. */
const COLOURS = [
  ...['#484f58', '#ff7b72', '#3fb950', '#d29922', '#58a6ff', '#bc8cff', '#39c5cf', '#b1bac4'],
  ...['#8b949e', '#ffa198', '#56d364', '#e3b341', '#79c0ff', '#d2a8ff', '#56d4dd', '#ffffff'],
];

/** The rows above the cursor of an xterm buffer with this number of columns, as the content of an SVG file. */
export function picture(buffer, columns) {
  const rows = buffer.baseY + buffer.cursorY;
  const width = Math.ceil(columns * WIDE) + 2 * EDGE;
  const height = BAR + rows * HIGH + EDGE;
  const lines = Array.from({ length: rows }, (_, y) => {
    const runs = runsOf(buffer.getLine(y), columns).map(span).join('');
    return runs && `<text y="${BAR + (y + 1) * HIGH - 6}">${runs}</text>`;
  });
  const dots = ['#ff5f57', '#febc2e', '#28c840'].map(
    (colour, i) => `<circle cx="${EDGE + 4 + i * 18}" cy="18" r="5.5" fill="${colour}"/>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>A session with formulary on a terminal; docs/session.md contains it as text</title>
<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8" fill="#0d1117" stroke="#484f58"/>
${dots.join('')}
<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace" font-size="${FONT}" fill="#e6edf3" xml:space="preserve">
${lines.filter(Boolean).join('\n')}
</g>
</svg>
`;
}

/** The pieces of one look, divided at gaps too, so that columns stay in their place in any font. */
function runsOf(line, columns) {
  const runs = [];
  for (let x = 0; x < columns; x++) {
    const cell = line.getCell(x);
    const look = lookOf(cell);
    const letters = cell.getChars() || ' ';
    const last = runs.at(-1);
    const isGap = letters === ' ' && (last === undefined || last.text.endsWith(' '));
    if (isGap) continue;
    if (last && last.look === look && last.end === x) Object.assign(last, { text: last.text + letters, end: x + 1 });
    else if (letters !== ' ') runs.push({ x, end: x + 1, look, text: letters });
  }
  return runs;
}

/** Attributes of a cell's color, weight, and dimness. */
function lookOf(cell) {
  const colour = cell.isFgPalette() ? COLOURS[cell.getFgColor()] : undefined;
  return [colour && ` fill="${colour}"`, cell.isBold() && ' font-weight="bold"', cell.isDim() && ' fill-opacity=".65"']
    .filter(Boolean)
    .join('');
}

const span = ({ x, look, text }) =>
  `<tspan x="${(EDGE + x * WIDE).toFixed(1)}"${look}>${text.trimEnd().replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</tspan>`;
