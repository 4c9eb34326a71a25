/** What a bundle may be made of: no import, link or path takes a file into it that the repository does not hold. */
import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkFolder } from '../../../src/check/check-folder.ts';
import { cardFiles, folderWith } from '../../helpers/folders.ts';
import { run } from '../../helpers/test-host.ts';

const SECRET = 'not-to-be-sent-4711';

const importing = (path: string) => `import x from '${path}';\nexport default async (req) => ({ raw: { x, req } });\n`;

/** A computer: a repository with a formula at `repo/formulas/card`, and other files next to the repository. */
function machine(code: string, files: Record<string, string> = {}): { top: string; card: string } {
  const { 'code.js': _, ...card } = cardFiles();
  const inRepository = Object.entries({ ...card, 'code.mjs': code }).map(([name, text]) => [
    `repo/formulas/card/${name}`,
    text,
  ]);
  const top = folderWith({
    'repo/.git/HEAD': 'ref: refs/heads/main\n',
    'other/creds.json': JSON.stringify({ key: SECRET }),
    'other/node_modules/pkg/index.js': `module.exports = '${SECRET}';\n`,
    ...Object.fromEntries(inRepository),
    ...files,
  });
  return { top, card: join(top, 'repo/formulas/card') };
}

async function checked(card: string, closed: string[] = []) {
  const { findings, body, texts } = await checkFolder({ displayPath: 'card', path: card }, { excludedFolders: closed });
  const errors = findings.filter(({ level }) => level === 'error');
  return { errors, body, shown: JSON.stringify([findings, [...texts]]) };
}

describe('a bundle contains no files from outside of the repository', () => {
  it.each<[string, string, ((top: string, card: string) => void)?]>([
    ['by a relative path', '../../../other/creds.json'],
    ['by an absolute path', 'TOP/other/creds.json'],
    ['by a link to one', './creds.json', (top, card) => symlinkSync(`${top}/other/creds.json`, `${card}/creds.json`)],
    ['by a link to a folder', './lib/creds.json', (top, card) => symlinkSync(`${top}/other`, `${card}/lib`)],
    [
      'by a link among the packages',
      'creds/creds.json',
      (top, card) => {
        mkdirSync(join(card, 'node_modules'));
        symlinkSync(`${top}/other`, `${card}/node_modules/creds`);
      },
    ],
    ['by packages that are a link', 'creds.json', (top, card) => symlinkSync(`${top}/other`, `${card}/node_modules`)],
    ['from the packages of others', '../../../other/node_modules/pkg/index.js'],
    ['by a virtual path of a package manager', './__virtual__/x/3/other/creds.json'],
  ])('%s', async (_, path, prepare) => {
    const { top, card } = machine('');
    prepare?.(top, card);
    cpSync(join(folderWith({ 'code.mjs': importing(path.replace('TOP', top)) }), 'code.mjs'), join(card, 'code.mjs'));
    const { errors, body, shown } = await checked(card);
    expect(errors).toMatchObject([{ file: 'code.mjs', line: 1, column: 15, rule: 'code-bundle' }]);
    expect(errors[0]?.message).toContain('outside the repository and not in a package');
    expect(body).toBeUndefined();
    expect(shown).not.toContain(SECRET);
  });

  it('nor a system file, of which no line is shown', async () => {
    const { card } = machine(importing('/etc/passwd'));
    const { errors, shown } = await checked(card);
    expect(errors).toMatchObject([{ file: 'code.mjs', line: 1, column: 15, rule: 'code-bundle' }]);
    expect(errors[0]?.message).toContain('etc/passwd: it is outside the repository');
    expect(shown).not.toContain('root:');
  });

  it('nor through an imported file, nor through a require', async () => {
    const { card } = machine(importing('./lib/a.mjs'), {
      'repo/formulas/card/lib/a.mjs': `export default require('../../../../other/creds.json');\n`,
    });
    const { errors } = await checked(card);
    expect(errors).toMatchObject([{ file: 'lib/a.mjs', line: 1, column: 24, rule: 'code-bundle' }]);
  });

  it('nor keys and saved versions of the tool, if they are in the repository', async () => {
    const { top, card } = machine(importing('../../config/formulary/profiles/default.json'), {
      'repo/config/formulary/profiles/default.json': JSON.stringify({ key: SECRET }),
    });
    const ended = await run(['formula', 'create', card, '--dry-run', '--json'], {
      cwd: top,
      env: { XDG_CONFIG_HOME: join(top, 'repo/config') },
    });
    expect({ code: ended.code, out: ended.out }).toEqual({ code: 3, out: '' });
    expect(ended.err).toContain('code-bundle');
    expect(ended.err).not.toContain(SECRET);
  });

  it('nor from above its parent, without a repository and a package', async () => {
    const { card } = machine(importing('../../common.json'));
    const top = folderWith({ 'common.json': '{}' });
    cpSync(card, join(top, 'formulas/card'), { recursive: true });
    expect((await checked(join(top, 'formulas/card'))).errors).toMatchObject([{ rule: 'code-bundle' }]);
  });
});

describe('a bundle may contain', () => {
  it.each<[string, string, Record<string, string>, ((top: string, card: string) => void)?]>([
    ['shared code of the repository', '../../common/x.ts', { 'repo/common/x.ts': 'export default 1 as number;\n' }],
    [
      'shared code although the formula has a package.json',
      '../common/x.mjs',
      { 'repo/formulas/common/x.mjs': 'export default 1;\n', 'repo/formulas/card/package.json': '{}' },
    ],
    [
      'a package of the repository, linked by its workspace',
      'tools',
      { 'repo/packages/tools/index.js': 'module.exports = 1;\n', 'repo/node_modules/.keep': '' },
      (top) => symlinkSync(`${top}/repo/packages/tools`, `${top}/repo/node_modules/tools`),
    ],
    ['packages of a folder above the repository', 'above', { 'node_modules/above/index.js': 'module.exports = 1;\n' }],
    [
      'packages that another working copy holds too',
      'pkg',
      { 'main/node_modules/pkg/index.js': 'module.exports = 1;\n' },
      (top) => symlinkSync(`${top}/main/node_modules`, `${top}/repo/node_modules`),
    ],
  ])('%s', async (_, path, files, prepare) => {
    const { top, card } = machine(importing(path), files);
    prepare?.(top, card);
    const { errors, body } = await checked(card);
    expect(errors).toEqual([]);
    expect(body?.code).toContain('module.exports');
  });

  it('shared code of its parent, without a repository and a package', async () => {
    const { card } = machine(importing('../common.json'));
    const top = folderWith({ 'formulas/common.json': '{}' });
    cpSync(card, join(top, 'formulas/card'), { recursive: true });
    expect((await checked(join(top, 'formulas/card'))).errors).toEqual([]);
  });

  it('shared code of a package without a repository', async () => {
    const { card } = machine(importing('../common.json'));
    const top = folderWith({ 'package.json': '{}', 'formulas/common.json': '{}' });
    cpSync(card, join(top, 'formulas/card'), { recursive: true });
    expect((await checked(join(top, 'formulas/card'))).errors).toEqual([]);
  });
});
