/** Reports and the links of a repository: nothing outside is overwritten, and no link is followed. */
import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BARE, cardFiles, folderWith, inFolder, writeFiles } from '../helpers/folders.ts';
import { expectExit, type HostOptions, run } from '../helpers/test-host.ts';

const TOOL = join(import.meta.dirname, '../../bin/formulary.js');
const KEYS = 'ssh-ed25519 of the owner';

/** A formula in `repository/card`, next to a file that nobody may write, and a mark of the repository. */
function computer(files: Record<string, string> = { 'repository/.git/HEAD': '' }): string {
  return folderWith({ 'outside/keys': KEYS, ...inFolder('repository/card', cardFiles()), ...files });
}

const validate = (cwd: string, report: string, hostOptions: HostOptions = {}, path = 'card') =>
  run(['formula', 'validate', path, '--report', `junit=${report}`], { cwd, ...hostOptions });

describe('a report', () => {
  it.each<[string, string, string, string]>([
    ['is a link to a file outside', 'report.xml', '../outside/keys', 'report.xml'],
    ['is a link to a file of the repository', 'report.xml', 'card/code.js', 'report.xml'],
    ['is a link to nothing', 'report.xml', '../outside/new', 'report.xml'],
    ['is below a link to a folder outside', 'reports', '../outside', 'reports/keys'],
    ['is below a link to a folder that is missing there', 'reports', '../outside', 'reports/new/report.xml'],
    ['is below a link to a folder of the repository', 'reports', 'card', 'reports/code.js'],
  ])('is rejected if it %s', async (_, link, target, report) => {
    const root = computer();
    const cwd = join(root, 'repository');
    symlinkSync(target, join(cwd, link));
    const { code, out, err } = await validate(cwd, report);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(`could not write the report ${report}`);
    expect(err).toContain('is a symbolic link');
    expect(readlinkSync(join(cwd, link))).toBe(target);
    expect(readdirSync(join(root, 'outside'))).toEqual(['keys']);
    expect(readFileSync(join(root, 'outside/keys'), 'utf8')).toBe(KEYS);
  });

  it.each<[string, Record<string, string>, string, string]>([
    ['a working copy, from below it', { 'repository/.git/HEAD': '' }, 'repository/card', '../reports/x'],
    ['a working copy, from outside', { 'repository/.hg/store': '' }, 'outside', '../repository/reports/x'],
    ['a package', { 'repository/package.json': '{}' }, 'outside', '../repository/reports/x'],
    ['the current folder', {}, 'repository', 'reports/x'],
    ['the folder of the formulas', {}, 'outside', '../repository/reports/x'],
  ])('is rejected below a link in %s', async (_, files, from, report) => {
    const root = computer(files);
    symlinkSync('../outside', join(root, 'repository/reports'));
    expectExit(await validate(join(root, from), report, {}, join(root, 'repository')), 2, 'is a symbolic link');
    expect(readdirSync(join(root, 'outside'))).toEqual(['keys']);
  });

  it('is written through a link above the repository', async () => {
    const root = computer();
    symlinkSync('repository', join(root, 'alias'));
    const report = join(root, 'alias/reports/report.xml');
    expectExit(await validate(join(root, 'repository'), report), 0, '');
    expect(readFileSync(join(root, 'repository/reports/report.xml'), 'utf8')).toMatch(/^<\?xml /);
  });

  it('is written through a link in a home folder without a repository', async () => {
    const home = folderWith({ 'package.json': '{}' });
    const root = computer();
    symlinkSync(join(root, 'outside'), join(home, 'reports'));
    const ended = await validate(join(root, 'repository'), `${home}/reports/report.xml`, { home });
    expectExit(ended, 0, '');
    expect(readFileSync(join(root, 'outside/report.xml'), 'utf8')).toMatch(/^<\?xml /);
  });

  it('is rejected before a push sends anything', async () => {
    const cwd = join(computer(), 'repository');
    symlinkSync('../outside/keys', join(cwd, 'report.xml'));
    const env = { XDG_STATE_HOME: folderWith(), FORMULARY_LOCAL_DATA: join(folderWith(), 'local.db') };
    const push = ['formula', 'push', 'card', '--local', '--target', 't', '--report', 'junit=report.xml'];
    expect(await run(push, { cwd, env })).toMatchObject({ code: 2, out: '' });
    expect((await run(['formula', 'list', '--local', '--json'], { cwd, env })).out.trim()).toBe('[]');
  });

  it('is not written through a link that formula code creates meanwhile', async () => {
    const root = computer();
    const cwd = join(root, 'repository');
    const code = `const fs = require('fs');
module.exports = async () => { fs.symlinkSync(${JSON.stringify(join(root, 'outside'))}, ${JSON.stringify(join(cwd, 'reports'))}); return {}; };`;
    const manifest = BARE;
    writeFiles(join(cwd, 'card'), cardFiles(manifest, { 'code.js': code, 'tests/a.json': '{"expect":{}}' }));
    const words = ['formula', 'test', 'card', '--node', process.execPath, '--report', 'junit=reports/keys'];
    expectExit(await run(words, { cwd }), 2, 'is a symbolic link');
    expect(readFileSync(join(root, 'outside/keys'), 'utf8')).toBe(KEYS);
  });

  it('escapes line feeds of foreign text', async () => {
    const root = computer();
    const cwd = join(root, 'repository');
    writeFiles(join(cwd, 'card'), cardFiles({ type: 'x', '\nssh-rsa evil\n': 1 }));
    expect(await validate(cwd, 'report.xml')).toMatchObject({ code: 3 });
    const report = readFileSync(join(cwd, 'report.xml'), 'utf8');
    expect(report).toContain('ssh-rsa evil');
    expect(report).not.toMatch(/^\s*ssh-rsa evil/m);
  });
});

describe.runIf(process.platform !== 'win32')('a report into an open file', () => {
  it('is written to its descriptor', async () => {
    const cwd = join(computer(), 'repository');
    const file = openSync(join(cwd, 'report.xml'), 'w');
    expectExit(await validate(cwd, `/dev/fd/${file}`), 0, '');
    closeSync(file);
    expect(readFileSync(join(cwd, 'report.xml'), 'utf8')).toMatch(/^<\?xml .*<\/testsuites>\n$/s);
  });

  it('is rejected if it is not open', async () => {
    const cwd = join(computer(), 'repository');
    expectExit(await validate(cwd, '/dev/fd/987654'), 2, 'EBADF');
  });

  it('is read through a pipe of the shell', () => {
    const cwd = join(computer(), 'repository');
    const script = `"$0" "$1" formula validate card --report junit=>(cat > report.xml; echo >done) && read -r < done`;
    execFileSync('mkfifo', [join(cwd, 'done')]);
    const env = { PATH: process.env['PATH'] ?? '' };
    execFileSync('bash', ['-c', script, process.execPath, TOOL], { cwd, env, timeout: 20_000 });
    expect(readFileSync(join(cwd, 'report.xml'), 'utf8')).toMatch(/^<\?xml .*<\/testsuites>\n$/s);
  });
});
