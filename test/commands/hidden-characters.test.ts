/** Characters that nobody sees, in what a reviewer reads: diffs, plans, findings, summaries, reports. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cardFiles, folderWith, inFolder } from '../helpers/folders.ts';
import { run } from '../helpers/test-host.ts';

const CODE = 'module.exports = async (req) => ({ tokenize: { data: req } });\n';
const HIDDEN = "const is\u3164Admin = 'x\u200b\u{e0061}'; // \u00ad\u202e\u{e0101}\n";
const SHOWN = "+const is\\u{3164}Admin = 'x\\u{200b}\\u{e0061}'; // \\u{ad}\\u202e\\u{e0101}";
/** What must not be in any output. */
const INVISIBLE = /\u00ad|\u200b|\u202e|\u3164|\u{e0061}|\u{e0101}/u;

/** A published formula, whose code has hidden characters since. */
async function changed(manifest: object = {}) {
  const cwd = folderWith(inFolder('card', cardFiles(manifest, { 'code.js': CODE })));
  const env = { FORMULARY_LOCAL_DATA: join(folderWith(), 'local.db'), XDG_STATE_HOME: folderWith() };
  const formulary = (words: string, more: Record<string, string> = {}, columns?: number) =>
    run(words.split(' '), { cwd, env: { ...env, ...more }, ...(columns && { columns }) });
  expect(await formulary('formula push card --local')).toMatchObject({ code: 0 });
  writeFileSync(join(cwd, 'card/code.js'), HIDDEN + CODE);
  return { cwd, formulary };
}

describe('hidden characters of code', () => {
  it.each(['diff card --local', 'push card --local --dry-run'])('are shown as escapes by %s', async (words) => {
    const { formulary } = await changed();
    const { out, err } = await formulary(`formula ${words}`);
    expect(out).toContain(SHOWN);
    expect(out + err).not.toMatch(INVISIBLE);
  });

  it('are shown as escapes in JSON, with the same value', async () => {
    const { formulary } = await changed();
    const { out } = await formulary('formula diff card --local --json');
    expect(out).not.toMatch(INVISIBLE);
    expect(JSON.parse(out).items[0].changes[0].local).toBe(HIDDEN + CODE);
  });

  it('are shown as escapes in the code of a finding', async () => {
    const { formulary } = await changed();
    const { code, out } = await formulary('formula validate card', {}, 120);
    expect(code).toBe(0);
    expect(out).toContain('warning code-invisible: code.js contains an invisible character: U+3164 (Hangul filler)');
    expect(out).toContain(`> 1 | ${SHOWN.slice(1)}`);
    expect(out).not.toMatch(INVISIBLE);
  });
});

describe('hidden characters of names', () => {
  const NAME = 'Card\u200b 👨\u200d👩\u200d👧 می\u200cخواهم';
  const SHOWN_NAME = 'Card\\u{200b} 👨\u200d👩\u200d👧 می\u200cخواهم';

  it('are shown as escapes in a plan and its summary, except in emoji and scripts that need them', async () => {
    const { cwd, formulary } = await changed({ name: NAME });
    const summary = join(cwd, 'summary.md');
    const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: summary };
    const { out } = await formulary('formula diff card --local', env);
    expect(out).toContain(SHOWN_NAME);
    expect(readFileSync(summary, 'utf8')).toContain(
      SHOWN_NAME.replace(/[\\{}]/g, (sign) => `&#${sign.charCodeAt(0)};`),
    );
  });

  it('are shown as escapes in findings, annotations, and reports', async () => {
    const { cwd, formulary } = await changed({ [NAME]: 1 });
    const words = 'formula validate card --report junit=report.xml';
    const { out, err } = await formulary(words, { GITHUB_ACTIONS: 'true' });
    const report = readFileSync(join(cwd, 'report.xml'), 'utf8');
    for (const text of [out, err, report]) {
      expect(text).toContain(SHOWN_NAME);
      expect(text).not.toMatch(INVISIBLE);
    }
  });

  it('stay readable in tables', async () => {
    const { formulary } = await changed({ name: '👨\u200d👩\u200d👧 می\u200cخواهم' });
    expect((await formulary('formula list --local')).out).toContain('👨\u200d👩\u200d👧 می\u200cخواهم');
  });
});
