/** Runs one test of some code as `formula test` does, in a real process. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { node16 } from '../node16/setup.ts';
import { BARE, cardFiles, folderWith } from './folders.ts';
import { run } from './test-host.ts';

interface Options {
  words?: string[];
  files?: Record<string, string>;
  /** The Node.js; without it a Node.js 16 where there is one. */
  node?: string | undefined;
}

/** The exit code, the item of the result, and the test as it is in its file afterwards. */
export async function runTest(code: string, test: object, { words = [], files = {}, node = node16 }: Options = {}) {
  const all = { 'code.js': code, 'tests/a.json': JSON.stringify([test], null, 2), ...files };
  const cwd = folderWith(cardFiles(BARE, all));
  const on = node ? ['--node', node] : [];
  const { code: exit, out, err } = await run(['formula', 'test', '.', ...on, '--json', ...words], { cwd });
  const [written] = JSON.parse(readFileSync(join(cwd, 'tests/a.json'), 'utf8'));
  const item = out ? JSON.parse(out).items[0] : undefined;
  return { exit, err, item, message: item?.error?.message as string | undefined, written };
}
