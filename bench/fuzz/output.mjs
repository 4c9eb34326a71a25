/** What is printed of any values: csv, JSON and tables are read back as what they say, lines fit, and nothing in them drives a terminal. */
import assert from 'node:assert/strict';
import stringWidth from 'string-width';
import { anyText, anyValue } from './any-value.mjs';
import { assertSafe } from './unsafe.mjs';

export function make(random) {
  const keys = ['id', ...random.times(4, () => anyText(random))];
  const item = () =>
    Object.fromEntries(
      keys
        .filter(() => random.chance(0.9))
        .map((key) => [key, random.chance(0.7) ? anyText(random) : anyValue(random, 2)]),
    );
  return {
    items: random.times(5, item),
    width: 20 + random.int(120),
    texts: [anyText(random), anyText(random)],
    column: 1 + random.int(40),
  };
}

/** What the runner of a CI acts on. */
const COMMAND = /^\s*::|##\w*\[/m;

export function start({ tool }) {
  const safe = (text, what) => {
    assertSafe(text, what);
    assert.doesNotMatch(text, COMMAND, what);
  };
  const check = async ({ items, width, texts, column }) => {
    const json = [...(await tool.FORMATS.json({ value: items }))].join('');
    safe(json, 'json');
    assert.deepEqual(JSON.parse(json), JSON.parse(JSON.stringify(items)));
    const jsonl = [...(await tool.FORMATS.jsonl({ value: items }))].join('');
    safe(jsonl, 'jsonl');
    assert.equal(jsonl.split('\n').length - 1, items.length);
    checkCsv([...(await tool.FORMATS.csv({ value: items }))].join(''), items);
    checkTables(items, width);
    checkTexts(texts, width, column);
  };

  const checkCsv = (csv, items) => {
    safe(csv, 'csv');
    const keys = [...new Set(items.flatMap((item) => Object.keys(item)))];
    if (keys.length === 0) return assert.equal(csv, '');
    const cells = [keys, ...items.map((item) => keys.map((key) => tool.getOwnValue(item, key)))];
    assert.deepEqual(
      csvRows(csv),
      cells.map((row, i) => row.map((value) => (i === 0 ? tool.formatCell(value) : csvCell(value)))),
    );
  };

  /** Line breaks stay in the cells of a CSV. */
  const csvCell = (value) =>
    typeof value === 'string'
      ? value
          .split(/(\r?\n)/)
          .map((part, i) => (i % 2 === 1 ? part : tool.formatCell(part)))
          .join('')
      : tool.formatCell(value);

  const checkTables = (items, width) => {
    const keys = [...new Set(items.flatMap((item) => Object.keys(item)))];
    const columns = keys.map((key, i) => ({
      title: `C${i}`,
      cell: (item) => tool.formatCell(tool.getOwnValue(item, key)),
    }));
    if (columns.length === 0) return;
    const piped = [...tool.formatTsv(items, columns)].join('');
    safe(piped, 'tab separated');
    assert.equal(piped.split('\n').length - 1, items.length);
    for (const line of piped.split('\n').slice(0, -1)) assert.equal(line.split('\t').length, columns.length);
    const table = tool.formatTable(items, columns, width);
    safe(table, 'table');
    // If a line has no room for all cells, each has a line of its own, under its heading.
    const isList = table.split('\n').length - 1 !== items.length + 1;
    const starts = isList ? [...columns.map(({ title }) => title.slice(0, 1)), ' '] : [''];
    for (const line of table.split('\n').filter(Boolean))
      assert.ok(!isList || starts.some((start) => line.startsWith(start)), `a line of no cell: ${line}`);
    if (columns.length * 6 - 2 > width) return;
    // What is defused gets longer.
    for (const line of table.replaceAll('\\u003a:', '::').split('\n'))
      assert.ok(stringWidth(line) <= width, `a line of ${stringWidth(line)} in a width of ${width}: ${line}`);
  };

  const checkTexts = ([one, other], width, column) => {
    safe(tool.escapeControls(one), 'visible');
    assert.ok(!tool.escapeControls(one).includes('\n'));
    safe(tool.escapeControlsByLine(one).replaceAll('\t', ' '), 'visible lines');
    const style = tool.createStyle({ hasColor: false });
    for (const line of tool.formatDiff({ from: one, to: other }, one, other, style)) safe(line.slice(1), 'diff');
    const frame = tool.createFrameFormatter('code.js', `${one}\n${other}`, width)({ line: 2, column });
    safe(frame, 'frame');
    for (const line of frame.split('\n'))
      assert.ok(stringWidth(line) <= width || width < 30, `a frame of ${stringWidth(line)} in ${width}`);
  };
  return { check };
}

/** The rows of a text in the form of RFC 4180. */
function csvRows(text) {
  const rows = [[]];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
  for (let match = cell.exec(text); match; match = cell.exec(text)) {
    const [, quoted, plain, end] = match;
    rows.at(-1).push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end !== ',') rows.push([]);
    if (cell.lastIndex === text.length) break;
  }
  assert.deepEqual(rows.pop(), [], 'csv does not end with a line end');
  return rows;
}
