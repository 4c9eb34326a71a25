/** Breaking changes in diff and push: shown everywhere, and with --no-breaking never sent. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderWith, formulaTree } from '../helpers/folders.ts';
import { machine } from '../helpers/machine.ts';
import { expectExit } from '../helpers/test-host.ts';

const NEW_SETTING = 'breaks existing reactors: configuration REGION (string) is new';
const BREAKING = [{ field: 'configuration', name: 'REGION', why: 'added' }];

/** Two published formulas, of which `a` then gets a setting that its reactors lack, and `b` other code. */
async function changed() {
  const cwd = folderWith();
  const formulary = machine({ cwd: formulaTree('a', 'b'), more: { FORMULARY_TARGET: 'staging' } });
  expect((await formulary('push .')).code).toBe(0);
  const manifest = join(formulary.cwd, 'a/manifest.json');
  const { configuration, ...others } = JSON.parse(readFileSync(manifest, 'utf8'));
  const more = [...configuration, { name: 'REGION', type: 'string' }];
  writeFileSync(manifest, JSON.stringify({ ...others, configuration: more }));
  writeFileSync(join(formulary.cwd, 'b/code.js'), 'module.exports = async () => ({ raw: { changed: true } });');
  return { formulary, reports: cwd };
}

describe('a change that breaks existing reactors', () => {
  it('is shown by diff: below the formula, in the summary, in one warning, as JSON, and first in the report', async () => {
    const { formulary, reports } = await changed();
    const shown = await formulary(`diff --report markdown=${reports}/plan.md`);
    expect(shown).toMatchObject({
      code: 10,
      out: expect.stringMatching(new RegExp(`a  a  .*\\n    ${escapeRegExp(NEW_SETTING)}\\n`)),
    });
    expect(shown.err).toContain(`warning: a ${NEW_SETTING}\n`);
    expect(shown.err).toContain('0 to create, 2 to update, 0 up to date, 1 breaking\n');
    expect(readFileSync(join(reports, 'plan.md'), 'utf8')).toContain(`> [!WARNING]\n> - \`a\` \`${NEW_SETTING}\`\n`);
    const { items } = JSON.parse((await formulary('push . --dry-run --json')).out);
    expect(items.map(({ breaking }: { breaking?: unknown }) => breaking)).toEqual([BREAKING, undefined]);
  });

  it('is published by push, with a warning and a property in the report', async () => {
    const { formulary, reports } = await changed();
    const { code, out, err } = await formulary(`push . --report junit=${reports}/push.xml`);
    expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/updated\ta\t.*\tbreaking\n/) });
    expect(err).toContain(`warning: a ${NEW_SETTING}\n`);
    expect(err).toMatch(/2 updated, 1 breaking on /);
    const xml = readFileSync(join(reports, 'push.xml'), 'utf8');
    expect(xml).toContain(`<property name="breaking" value="${NEW_SETTING}"/>`);
    expect(xml).not.toContain('<failure');
    expect((await formulary('push .')).err).not.toContain('breaking');
  });
});

describe('--no-breaking', () => {
  it('sends nothing, also with --skip-invalid, and exits with 3', async () => {
    const { formulary } = await changed();
    for (const flags of ['', ' --skip-invalid', ' --prune --yes']) {
      const { code, out, err } = await formulary(`push . --no-breaking${flags} --json`);
      expect({ code, err }).toEqual({ code: 3, err: expect.not.stringContaining('--skip-invalid') });
      expect(JSON.parse(out).items).toMatchObject([
        { outcome: 'invalid', breaking: BREAKING, error: { code: 'invalid', message: `a ${NEW_SETTING}` } },
        { outcome: 'not_started' },
      ]);
    }
    expect((await formulary('diff')).code).toBe(10);
  });

  it('shows the plan in diff and --dry-run, saves none, and names what is published without it', async () => {
    const { formulary } = await changed();
    for (const line of ['diff --no-breaking --out plan.json', 'push . --dry-run --no-breaking']) {
      const { code, out, err } = await formulary(line);
      expect({ code, out }).toEqual({ code: 3, out: expect.stringContaining(NEW_SETTING) });
      expect(err).toContain('error: 1 formula has breaking changes: a\n');
      expect(err).toContain('hint: To publish breaking changes, run the command without --no-breaking.');
      expect(err).not.toMatch(/next:|Saved the plan/);
    }
    expect((await formulary('push --plan plan.json')).code).toBe(2);
  });

  it('stops a saved plan', async () => {
    const { formulary } = await changed();
    expect((await formulary('diff --out plan.json')).code).toBe(10);
    const stopped = await formulary('push --plan plan.json --no-breaking');
    expectExit(stopped, 3, `error: a ${NEW_SETTING}`);
    expectExit(await formulary('push --plan plan.json'), 0, '2 updated, 1 breaking');
  });

  it('lets other changes pass, and is in the next command', async () => {
    const formulary = machine({ cwd: formulaTree('a'), more: { FORMULARY_TARGET: 'staging' } });
    expectExit(await formulary('diff --no-breaking'), 10, /next: .*push \. --no-breaking/);
    expect((await formulary('push . --no-breaking')).code).toBe(0);
  });
});

const escapeRegExp = (text: string) => text.replace(/[()]/g, '\\$&');
