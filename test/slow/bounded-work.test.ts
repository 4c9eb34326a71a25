/** No text of a stranger takes more than in proportion to its size. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { folderWith } from '../helpers/folders.ts';
import { CODE, DIFFS, LONG, MANIFESTS } from './texts.ts';

type Texts = Record<string, (size: number) => string>;
type Row = [target: string, small: string, large: string];

/** The maximum factor of work for twice the input: a bit more than two, for tables that grow. */
const MAX_GROWTH = 2.6;
/** Blocks for a character that may come on top: one parser may run out of stack, and leave the text to another one. */
const EXTRA = 40;
/** Of minutes or days, where a text takes more than in proportion. */
const GENEROUS = 60_000;

/** How many blocks of code are run for the texts of each row; fails where that does not end. */
async function countWork(rows: readonly Row[]): Promise<[small: number, large: number][]> {
  const folder = folderWith();
  const bundle = join(folder, 'targets.cjs');
  await build({
    entryPoints: [join(import.meta.dirname, 'targets.ts')],
    outfile: bundle,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    mainFields: ['module', 'main'],
    external: ['esbuild'],
    define: { FORMULARY_VERSION: '"0"' },
    supported: { 'dynamic-import': false },
  });
  const file = join(folder, 'rows.json');
  writeFileSync(file, JSON.stringify(rows));
  const script = join(import.meta.dirname, 'count-work.cjs');
  const { stdout } = await promisify(execFile)(process.execPath, [script, bundle, file], {
    timeout: GENEROUS,
    killSignal: 'SIGKILL',
    maxBuffer: 1e8,
  });
  return JSON.parse(stdout);
}

/**
 * The names of the inputs whose work grows faster than their size, with the counts. If another parser is used from a size
 * between the two on, the work grows by a step, but only once: it is measured again for input of twice the size.
 */
async function tooMuch(target: string, texts: Texts, size: number): Promise<string[]> {
  const found = await growing(target, texts, size);
  const again = Object.fromEntries(
    Object.entries(texts).filter(([name]) => found.some((one) => one.startsWith(`${name}: `))),
  );
  return found.length === 0 ? [] : growing(target, again, 2 * size);
}

async function growing(target: string, texts: Texts, size: number): Promise<string[]> {
  const rows = Object.values(texts).map((make): Row => [target, make(size), make(2 * size)]);
  const counts = await countWork(rows);
  return Object.keys(texts).flatMap((name, i) => {
    const [small = 0, large = 0] = counts[i] ?? [];
    return large <= MAX_GROWTH * small + EXTRA * 2 * size ? [] : [`${name}: ${small}, then ${large}`];
  });
}

describe('the work for input', () => {
  it.each<[string, string, Texts, number]>([
    ['code, by all rules', 'codeRules', CODE, 4_000],
    ['a manifest, by all rules', 'manifest', MANIFESTS, 6_000],
    ['tests', 'cases', MANIFESTS, 6_000],
    ['a lock file', 'lock', MANIFESTS, 6_000],
    ['two codes to compare', 'diff', DIFFS, 20_000],
  ])('grows with its size: %s', async (_, target, texts, size) => {
    expect(await tooMuch(target, texts, size)).toEqual([]);
  });

  it.each(['secrets', 'escape', 'reveal', 'codeRules', 'decode', 'icon', 'json'])(
    'ends for long input: %s',
    async (target) => {
      const rows = Object.values(LONG).map((make): Row => [target, '', make(300_000)]);
      expect(await countWork(rows)).toHaveLength(rows.length);
    },
  );

  it('ends for code that is deeply nested, with many names', async () => {
    const texts = ['{let b;', '(;{let b;', 'f()=1;{let b;'].map(
      (start) => `${start}${'{let b;'.repeat(2400)}${'a;'.repeat(200_000)}${'}'.repeat(2401)}`,
    );
    expect(await countWork(texts.map((text): Row => ['code', '', text]))).toHaveLength(texts.length);
  });
});
