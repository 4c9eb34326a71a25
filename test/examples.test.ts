/** The examples, and what init writes, are legal and do what their own cases say, on Node.js 16 where there is one. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TEMPLATES } from '../src/templates/templates.ts';
import { folderWith } from './helpers/folders.ts';
import { run } from './helpers/test-host.ts';
import { node16 } from './node16/setup.ts';

const EXAMPLES = join(import.meta.dirname, '../formulas-example');
const NAMES = readdirSync(EXAMPLES, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && existsSync(join(EXAMPLES, entry.name, 'manifest.json')))
  .map(({ name }) => name);
const ON = node16 ? ['--node', node16] : [];

async function expectLegal(folder: string, notes: string[] = []): Promise<void> {
  const { code, out } = await run(['formula', 'validate', folder, '--json']);
  const rules = JSON.parse(out).items[0].findings.map(({ rule }: { rule: string }) => rule);
  expect({ code, rules }).toEqual({ code: 0, rules: notes });
}

async function expectCases(folder: string): Promise<void> {
  const { code, out, err } = await run(['formula', 'test', folder, ...ON, '--json', '--verbose']);
  const { items, summary } = JSON.parse(out);
  expect({ code, failed: items.filter(({ outcome }: { outcome: string }) => outcome !== 'passed') }).toEqual({
    code: 0,
    failed: [],
  });
  expect(summary.total).toBeGreaterThan(1);
  expect(err).not.toContain('warning');
}

describe.each(NAMES)('the example %s', (name) => {
  it('is valid without findings, except for the note on an argument that is undeclared on purpose', () =>
    expectLegal(join(EXAMPLES, name), name === 'sign-payload' ? ['argument-undeclared'] : []));

  it('passes its tests', () => expectCases(join(EXAMPLES, name)));
});

describe.each(Object.keys(TEMPLATES))('a formula from the template %s', (template) => {
  it('is valid without findings, passes its tests, and can be published as it is', async () => {
    const cwd = folderWith();
    const env = { FORMULARY_PROFILE: 'local', FORMULARY_LOCAL_DATA: join(cwd, 'local.db') };
    expect(await run(['formula', 'init', 'new', '--template', template], { cwd })).toMatchObject({ code: 0 });
    const folder = join(cwd, 'new');
    expect(await run(['formula', 'validate', folder, '--strict'])).toMatchObject({ code: 0 });
    await expectLegal(folder);
    await expectCases(folder);
    const { code, out } = await run(['formula', 'create', folder, '--json'], { env });
    expect({ code, name: JSON.parse(out).name }).toEqual({ code: 0, name: 'new' });
    expect(await run(['formula', 'diff', folder], { env })).toMatchObject({ code: 0 });
  });
});
