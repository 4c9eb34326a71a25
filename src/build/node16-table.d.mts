/** The names that a Node.js has, and a table of those that Node.js 16 lacks. */
interface Names {
  globals: string[];
}
type Table = Record<string, string | Record<string, string>>;

export function namesOf(node: string): Names;
export function committedTable(): Table;
export function lackingIn(older: Names, newer: Names, table: Table): Table;
