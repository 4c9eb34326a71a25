import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { annotateFile } from '../../src/report/github.ts';
import { cardFiles, folderWith } from '../helpers/folders.ts';
import { run, testHost } from '../helpers/test-host.ts';

const FINDING = { file: 'manifest.json', level: 'error', line: 1, column: 1, rule: 'r', message: 'm' } as const;

/** The file that an annotation names, for a path as a command in `cwd` knows it. */
function annotatedFile(cwd: string, path: string, workspace?: string): string | undefined {
  const env = { GITHUB_ACTIONS: 'true', ...(workspace !== undefined && { GITHUB_WORKSPACE: workspace }) };
  const { host, texts } = testHost({ cwd, env });
  annotateFile(host, path, FINDING);
  return /file=([^,]*),/.exec(texts.err)?.[1];
}

describe('the file of an annotation', () => {
  it.each([
    ['/srv/repo', 'a/manifest.json', '/srv/repo', 'a/manifest.json'],
    ['/srv/repo/services/pay', 'forms/a/manifest.json', '/srv/repo', 'services/pay/forms/a/manifest.json'],
    ['/srv/repo/services/pay', '../forms/manifest.json', '/srv/repo/', 'services/forms/manifest.json'],
    ['/srv/repo/services/pay', '/srv/repo/a/manifest.json', '/srv/repo', 'a/manifest.json'],
    ['/srv/repo', '..a/manifest.json', '/srv/repo', '..a/manifest.json'],
    ['/elsewhere', 'a/manifest.json', '/srv/repo', 'a/manifest.json'],
    ['/srv/repo-2', 'a/manifest.json', '/srv/repo', 'a/manifest.json'],
    ['/srv/repo/services', 'a/manifest.json', undefined, 'a/manifest.json'],
    ['/srv/repo/services', 'a/manifest.json', '', 'a/manifest.json'],
  ])('from %s, %s with the workspace %s is %s', (cwd, path, workspace, file) => {
    expect(annotatedFile(cwd, path, workspace)).toBe(file);
  });

  it('is relative to the checkout if the workspace is a symbolic link', () => {
    const root = folderWith({ 'real/services/a/manifest.json': '{}' });
    symlinkSync(join(root, 'real'), join(root, 'link'));
    expect(annotatedFile(join(root, 'real/services'), 'a/manifest.json', join(root, 'link'))).toBe(
      'services/a/manifest.json',
    );
  });
});

describe('annotations of a command in a subfolder of the checkout', () => {
  const checkout = (manifest: object) => {
    const workspace = folderWith();
    const cwd = join(workspace, 'services/pay');
    mkdirSync(join(cwd, 'forms/a'), { recursive: true });
    for (const [name, text] of Object.entries(cardFiles(manifest))) writeFileSync(join(cwd, 'forms/a', name), text);
    const env = {
      GITHUB_ACTIONS: 'true',
      GITHUB_WORKSPACE: workspace,
      FORMULARY_PROFILE: 'local',
      FORMULARY_LOCAL_DATA: join(folderWith(), 'local.db'),
    };
    return { cwd, env };
  };

  it.each(['validate forms', 'push forms', 'diff forms', 'create forms/a'])('%s contain the file', async (words) => {
    const { err } = await run(['formula', ...words.split(' ')], checkout({ type: 'privat' }));
    expect(err).toMatch(/^::error file=services\/pay\/forms\/a\/manifest\.json,line=4,/m);
  });

  it('push annotates the manifest of a formula that failed', async () => {
    const place = checkout({ name: 'a' });
    for (const folder of [folderWith(cardFiles({ name: 'a' })), folderWith(cardFiles({ name: 'a' }))])
      await run(['formula', 'create', folder, '--allow-duplicate'], place);
    const { err } = await run(['formula', 'push', 'forms'], place);
    expect(err).toMatch(/^::error file=services\/pay\/forms\/a\/manifest\.json,line=1,col=1,title=conflict::/m);
  });
});
