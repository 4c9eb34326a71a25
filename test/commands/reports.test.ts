import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CARD_CODE, cardFiles, folderWith, formulas, inFolder } from '../helpers/folders.ts';
import { commit, GIT_PATH, git } from '../helpers/git.ts';
import { json, loopback } from '../helpers/loopback.ts';
import { machine } from '../helpers/machine.ts';
import { expectExit, run } from '../helpers/test-host.ts';

const REPORT = '--report markdown=plans/plan.md';

/** Three folders in `formulas`, published; then one is edited, one removed, and one new. */
async function changedTree() {
  const cwd = folderWith({ '.git/HEAD': '', ...inFolder('formulas', formulas('edited', 'kept', 'removed')) });
  const formulary = machine({ cwd });
  const all = (words: string) => formulary(`${words} formulas --target production`);
  expect(await all('push')).toMatchObject({ code: 0 });
  rmSync(join(cwd, 'formulas/removed'), { recursive: true });
  const code = 'module.exports = async (req) => ({ raw: req.args });\n// ```\u200b @everyone\n';
  writeFileSync(join(cwd, 'formulas/edited/code.js'), code);
  return { cwd, all, read: () => readFileSync(join(cwd, 'plans/plan.md'), 'utf8') };
}

describe('a Markdown report', () => {
  it('of diff shows deletions first, and a diff of each formula', async () => {
    const { all, read } = await changedTree();
    expect(await all(`diff --prune ${REPORT}`)).toMatchObject({ code: 10 });
    const report = read();
    expect(report).toContain('## Plan for `production`\n\n**0 to create, 1 to update, 1 to delete, 1 up to date**\n');
    expect(report).toContain('> - **1 formula to be deleted:** `formulas/removed`\n');
    expect(report).toContain('+// ```\\u{200b} @everyone\n````\n');
    expect(report).not.toContain('kept');
  });

  it('of push --dry-run is the same', async () => {
    const { all, read } = await changedTree();
    await all(`diff ${REPORT}`);
    const report = read();
    expect(await all(`push --dry-run ${REPORT}`)).toMatchObject({ code: 0 });
    expect(read()).toBe(report);
  });

  it('shows both sides of a conflict, and how to resolve it', async () => {
    const cwd = folderWith(cardFiles());
    git(cwd, 'init', '-q');
    commit(cwd, 'x');
    const data = join(folderWith(), 'local.db');
    const formulary = machine({ cwd, data, more: { FORMULARY_TARGET: 'production', PATH: GIT_PATH } });
    expect(await formulary('push .')).toMatchObject({ code: 0 });
    const theirs = folderWith(cardFiles({}, { 'code.js': `// theirs\n${CARD_CODE}` }));
    expect(await machine({ data })(`update ${theirs}`)).toMatchObject({ code: 0 });
    writeFileSync(join(cwd, 'code.js'), `// ours\n${CARD_CODE}`);
    expect(await formulary('diff . --report markdown=plan.md')).toMatchObject({ code: 10 });
    const report = readFileSync(join(cwd, 'plan.md'), 'utf8');
    expect(report).toContain('> - **1 formula in conflict; this plan cannot be applied:** `.`\n');
    expect(report).toContain('- `To use the local version, run: formulary formula push . --force');
    expect(report).toMatch(/--- was: code\n\+\+\+ remote: code\n@@ .*\n\+\/\/ theirs\n/);
    expect(report).toMatch(/--- was: code\n\+\+\+ local: code\n@@ .*\n\+\/\/ ours\n/);
  });

  it('is written if there is nothing to do', async () => {
    const { all, read } = await changedTree();
    expect(await all('push')).toMatchObject({ code: 0 });
    expect(await all(`diff ${REPORT}`)).toMatchObject({ code: 0 });
    expect(read()).toContain('**nothing to do: 2 up to date**');
  });

  it('has one line for each value that changed, on both sides', async () => {
    const { cwd, all, read } = await changedTree();
    writeFileSync(join(cwd, 'formulas/edited/manifest.json'), cardFiles({ name: 'Renamed' })['manifest.json'] ?? '');
    await all(`diff ${REPORT}`);
    expect(read()).toContain('-name: "edited"\n+name: "Renamed"\n');
  });

  it.each([
    ['diff . --report junit=x', 'must be markdown=FILE'],
    ['push . --report markdown=x', 'must be junit=FILE'],
    ['push . --dry-run --report html=x', 'must be junit=FILE or markdown=FILE'],
    ['validate . --report markdown=x', 'must be junit=FILE'],
  ])('of %s is rejected', async (words, message) => {
    const cwd = folderWith(cardFiles());
    const { code, err } = await machine({ cwd })(words);
    expectExit({ code, err }, 2, message);
    expect(existsSync(join(cwd, 'x'))).toBe(false);
  });
});

describe('a JUnit report of push --dry-run', () => {
  it('shows each formula as skipped', async () => {
    const { cwd, all } = await changedTree();
    expect(await all('push --dry-run --report junit=r.xml')).toMatchObject({ code: 0 });
    expect(readFileSync(join(cwd, 'r.xml'), 'utf8')).toContain('tests="2" failures="0" errors="0" skipped="2"');
  });
});

/** A folder `wrong` with an error and a warning before it, and a folder `right`. */
const tree = () =>
  folderWith({ ...inFolder('wrong', cardFiles({ name: 'Card ', type: 'privat' })), ...inFolder('right', cardFiles()) });

/** Code that no computer checks in less than a millisecond. */
const LONG_CODE = `module.exports = async () => ({ raw: [${'{ a: () => 1 }, '.repeat(50_000)}] });`;

describe('a JUnit report of a command', () => {
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
