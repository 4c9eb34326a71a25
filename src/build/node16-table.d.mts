/** The names that a Node.js has by their owners, and a table of those that Node.js 16 lacks. */
type Names = Record<string, { all: string[]; counted: string[] }>;
type Table = Record<string, string>;

export function namesOf(node: string): Names;
export function committedTable(): Table;
export function lackingIn(older: Names, newer: Names, table: Table): Table;
