/** What commands write into JUnit reports. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cardFiles, folderWith, inFolder } from '../helpers/folders.ts';
import { json, loopback } from '../helpers/loopback.ts';
import { run } from '../helpers/test-host.ts';

/** A folder `wrong` with an error and a warning before it, and a folder `right`. */
const tree = () =>
  folderWith({ ...inFolder('wrong', cardFiles({ name: 'Card ', type: 'privat' })), ...inFolder('right', cardFiles()) });

/** Code that no computer checks in less than a millisecond. */
const LONG_CODE = `module.exports = async () => ({ raw: [${'{ a: () => 1 }, '.repeat(50_000)}] });`;

describe('a JUnit report', () => {
  it.each([
    ['validate', 0, {}],
    ['push', 3, { type: 'privat' }],
  ])('of %s has the time that the check of a folder took', async (command, code, changes) => {
    const cwd = folderWith(cardFiles(changes, { 'code.js': LONG_CODE }));
    expect((await run(['formula', command, '.', '--report', 'junit=r.xml'], { cwd })).code).toBe(code);
    const [, time] = /<testcase [^>]*time="([\d.]+)"/.exec(readFileSync(join(cwd, 'r.xml'), 'utf8')) ?? [];
    expect(Number(time)).toBeGreaterThan(0);
  });

  it('of validate has the errors of a folder as its failure, and the warnings in its output', async () => {
    const cwd = tree();
    expect((await run(['formula', 'validate', '.', '--report', 'junit=r.xml'], { cwd })).code).toBe(3);
    const report = readFileSync(join(cwd, 'r.xml'), 'utf8');
    expect(report).toMatch(
      /<testcase name="Card " classname="wrong" file="wrong\/manifest.json" time="\d+\.\d{3}">\n *<failure type="type-value"/,
    );
    expect(/<failure.*?<\/failure>/s.exec(report)?.[0]).not.toContain('warning:');
    expect(/<system-out>.*?<\/system-out>/s.exec(report)?.[0]).toContain('warning:');
  });

  it('of validate --strict has the warnings as the failure of a folder without errors', async () => {
    const cwd = folderWith(cardFiles({ name: 'Card ' }));
    const words = ['formula', 'validate', '.', '--strict', '--report', 'junit=r.xml'];
    expect((await run(words, { cwd })).code).toBe(3);
    expect(readFileSync(join(cwd, 'r.xml'), 'utf8')).toMatch(/<failure type="[^"]+" message="[^"]*warning:/);
  });

  it('of push shows unsent formulas as skipped', async () => {
    const cwd = tree();
    const { url } = await loopback((_, response) => json(response, 200, { data: [] }));
    const env = { FORMULARY_BASE_URL: url, FORMULARY_API_KEY: 'key_of_the_test', XDG_STATE_HOME: folderWith() };
    expect((await run(['formula', 'push', '.', '--report', 'junit=r.xml'], { cwd, env })).code).toBe(3);
    const report = readFileSync(join(cwd, 'r.xml'), 'utf8');
    expect(report).toContain('tests="2" failures="1" errors="0" skipped="1"');
    expect(report).toMatch(/classname="right" file="right\/manifest.json" time="\d+\.\d{3}">\n *<skipped\/>/);
  });
});
