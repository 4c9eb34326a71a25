import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openParsePool, type ParsePool } from '../../src/check/parse-pool.ts';
import { inspectCode } from '../../src/code/code-facts.ts';
import { CARD_CODE, folderWith } from '../helpers/folders.ts';

const BUILT = join(import.meta.dirname, '../../dist/load.js');
const CODES = [CARD_CODE, 'module.exports = {', 'module.exports = { a "b"() {} };', '', "import 'x';", 'return f(1);'];

const opened: ParsePool[] = [];
const open = (script: string) => {
  const readers = openParsePool(script);
  opened.push(readers);
  return readers;
};
afterEach(() => {
  for (const { close } of opened.splice(0)) close();
});

describe('reading code in threads', () => {
  it.each<[string, () => string]>([
    ['that work', () => BUILT],
    ['of which there are none', () => join(folderWith(), 'missing.js')],
    ['that cannot start', () => join(folderWith({ 'worker.js': 'throw new Error("no");' }), 'worker.js')],
    [
      'that end in the middle',
      () =>
        join(
          folderWith({ 'worker.js': 'require("worker_threads").parentPort.on("message", () => process.exit(1));' }),
          'worker.js',
        ),
    ],
  ])('has the same result as in the main thread: threads %s', async (_, script) => {
    const { inspectCode: read } = open(script());
    const expected = await Promise.all(CODES.map(inspectCode));
    expect(await Promise.all(CODES.map(read))).toEqual(expected);
    expect(await read(CARD_CODE)).toEqual(expected[0]);
  });
});
