/** Seventy styles of formula code: what is said of each, held against a real Node.js 16 that runs it. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { analysisOf } from '../../src/code/analysis.ts';
import { parseCode } from '../../src/code/parse.ts';
import { readFolder } from '../../src/folder/read.ts';
import { checkFormula } from '../../src/rules/check.ts';
import { cardFiles, folderWith } from '../helpers/folders.ts';
import { node16 } from '../node16/setup.ts';
import { PARAMETERS, REQUEST, SETTINGS, STYLES } from './styles.ts';

async function readsIn(code: string): Promise<string> {
  const { program } = await parseCode(code);
  const usage = program && analysisOf(program).usage;
  if (!usage) return 'cannot be told';
  const words = usage.reads
    .filter(({ path, isWhole }) => isWhole || path.length > 1)
    .map(({ path, isWhole, isCertain }) => `${[...path, ...(isWhole ? ['*'] : [])].join('.')}${isCertain ? '' : '?'}`);
  const isLess = (word: string) => words.includes(`${word}.*`) || words.includes(`${word}.*?`);
  return [...new Set(words)]
    .filter((word) => !isLess(word))
    .sort()
    .join(' ');
}

const elements = (names: readonly string[]) => names.map((name) => ({ name, type: 'string' }));

async function findingsIn(code: string): Promise<string> {
  const manifest = { configuration: elements(SETTINGS), request_parameters: elements(PARAMETERS) };
  const { findings } = await checkFormula(readFolder(folderWith(cardFiles(manifest, { 'code.js': code }))));
  const rules = findings.map(({ rule }) => rule).filter((rule) => rule !== 'declared-unused');
  return rules.join(' ');
}

describe('a style of code', () => {
  it.each(STYLES)('is read as it is meant: $title', async ({ code, reads }) => {
    expect(await readsIn(code)).toBe(reads);
  });

  it.each(STYLES)('has the findings that it should have: $title', async ({ code, found }) => {
    expect(await findingsIn(code)).toBe(found);
  });

  it.skipIf(!node16)('does on a real Node.js 16 what is said of it', () => {
    const folder = folderWith(Object.fromEntries(STYLES.map(({ code }, i) => [`${i}.js`, code])));
    const runner = join(import.meta.dirname, '../node16/runs.cjs');
    const out = execFileSync(node16 ?? '', [runner, folder, JSON.stringify(REQUEST)], { encoding: 'utf8', env: {} });
    const given = JSON.parse(out) as Record<string, string>;
    expect(STYLES.map(({ title }, i) => `${title}: ${given[`${i}.js`]}`)).toEqual(
      STYLES.map(({ title, gives }) => `${title}: ${gives}`),
    );
  });

  it.each(STYLES.filter(({ found }) => found.includes('code-target-global')))(
    'that uses what Node.js 16 lacks fails there: $title',
    ({ gives }) => {
      expect(gives).toMatch(/^(Reference|Type)Error: /);
    },
  );
});
