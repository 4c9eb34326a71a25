/** Thousands of mistakes in one folder: shown are the first, and how many more there are. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cardFiles, folderWith, inFolder } from '../helpers/folders.ts';
import { run } from '../helpers/test-host.ts';

const COUNT = 5_000;
const REST = '… and 4,900 more manifest-unknown-key';

const keys = (value: unknown) => Object.fromEntries(Array.from({ length: COUNT }, (_, i) => [`k${i}`, value]));

/** A folder with a formula `card` that has many unknown keys. */
const flooded = (others: object = {}) => folderWith(inFolder('card', cardFiles({ ...keys(1), ...others })));

const ACTIONS = { GITHUB_ACTIONS: 'true' };
const count = (text: string, part: RegExp) => text.match(part)?.length ?? 0;

describe('a flood of findings', () => {
  it('shows its first hundred, and the number of the others', async () => {
    const { code, out } = await run(['formula', 'validate', 'card'], { cwd: flooded() });
    expect(code).toBe(0);
    expect(out).toContain(`card/manifest.json:122:3 warning manifest-unknown-key: ${REST}\ncard: valid\n`);
    expect(out.split('\n')).toHaveLength(103);
  });

  it('is complete in JSON', async () => {
    const { out } = await run(['formula', 'validate', 'card', '--json'], { cwd: flooded() });
    expect(JSON.parse(out).items[0].findings).toHaveLength(COUNT);
  });

  it('is bounded in a report and in annotations', async () => {
    const cwd = flooded({ type: 'x' });
    const words = ['formula', 'validate', 'card', '--report', 'junit=report.xml'];
    const { code, err } = await run(words, { cwd, env: ACTIONS });
    expect(code).toBe(3);
    expect(count(err, /^::warning /gm)).toBe(101);
    expect(err).toContain(REST);
    const report = readFileSync(join(cwd, 'report.xml'), 'utf8');
    expect(count(report, /^.*manifest-unknown-key: manifest/gm)).toBe(101);
    expect(report).toContain(REST);
    expect(report).toContain('type-value');
  });

  it.each(['push', 'diff'])('is bounded in the output of %s', async (command) => {
    const env = { FORMULARY_LOCAL_DATA: join(folderWith(), 'local.db'), XDG_STATE_HOME: folderWith() };
    const { code, err } = await run(['formula', command, 'card', '--local'], { cwd: flooded({ type: 'x' }), env });
    expect(code).toBe(3);
    expect(err).toContain(REST);
    expect(err.split('\n').length).toBeLessThan(110);
  });

  it('has short lines even if keys are long', async () => {
    const cwd = folderWith(cardFiles({ ['k'.repeat(100_000)]: 1 }));
    const { out } = await run(['formula', 'validate', '.'], { cwd });
    expect(out.length).toBeLessThan(1500);
    expect(out).toMatch(/^manifest\.json:22:3 warning manifest-unknown-key: k+ … k+ is unknown and is not sent\n/);
  });

  it('is not collected from a manifest that is too large', async () => {
    const cwd = folderWith(cardFiles({ a: 'x'.repeat(250_000) }));
    const { code, out } = await run(['formula', 'validate', '.'], { cwd });
    expect(code).toBe(3);
    expect(out).toMatch(/error manifest-syntax: the file must have at most 250000 characters \(got 25\d+\)\n/);
  });
});
