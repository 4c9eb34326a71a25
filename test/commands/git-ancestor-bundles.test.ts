/** git as the third side for code.ts: the files of a commit are bundled with the packages that are installed now. */
import { appendFileSync, cpSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cardFiles, folderWith } from '../helpers/folders.ts';
import { commit, git, GIT_PATH as PATH, plantPrograms } from '../helpers/git.ts';
import { changedElsewhere, machine } from '../helpers/machine.ts';
import { copyTemplate } from '../helpers/templates.ts';

const CODE = `import { mask } from '../lib/mask.ts';
import pad from 'pad';
export default async () => ({ raw: mask(pad('1')) });
`;

const FILES = {
  'card/manifest.json': cardFiles({ name: 'Card' })['manifest.json'],
  'card/code.ts': CODE,
  'lib/mask.ts': 'export const mask = (text: string) => text;\n',
  'node_modules/pad/package.json': '{"name":"pad","version":"1.0.0","main":"index.js"}',
  'node_modules/pad/index.js': "module.exports = (text) => ' ' + text;\n",
  'package-lock.json': '{}',
  '.gitignore': 'node_modules\n',
};

/**
 * A published formula that bundles a file next to its folder and a package; all committed, then changed by a colleague.
 * Changes with the same source code are one template.
 */
async function repository(change: (cwd: string) => void) {
  const { folder } = await copyTemplate(`bundles ${change}`, async (place) => {
    const { cwd, formulary, colleague } = open(place);
    cpSync(folderWith(FILES), cwd, { recursive: true });
    git(cwd, 'init', '-q', '-b', 'main');
    expect((await formulary('push .')).code).toBe(0);
    commit(cwd, 'one');
    change(cwd);
    expect((await colleague('push .')).code).toBe(0);
    commit(cwd, 'of a colleague');
  });
  return open(folder);
}

function open(place: string) {
  const [cwd, data] = [join(place, 'repository'), join(place, 'service', 'local.db')];
  const state = { XDG_STATE_HOME: join(place, 'state') };
  for (const path of [cwd, dirname(data), state.XDG_STATE_HOME]) mkdirSync(path, { recursive: true, mode: 0o755 });
  const more = { FORMULARY_TARGET: 'test', PATH };
  const formulary = machine({ cwd, data, more: { ...more, ...state } });
  return { cwd, formulary, colleague: machine({ cwd, data, more }) };
}

const editCode = (cwd: string) => appendFileSync(join(cwd, 'card/code.ts'), 'export const mine = 1;\n');
const editLibrary = (cwd: string, text = "text + '!'") =>
  writeFileSync(join(cwd, 'lib/mask.ts'), `export const mask = (text: string) => ${text};\n`);

const push = async (formulary: Awaited<ReturnType<typeof repository>>['formulary']) => {
  const { code, out, err } = await formulary('push card --json');
  return { code, items: JSON.parse(out).items, err };
};
const PLAIN = { code: 0, items: [expect.not.objectContaining({ overwrites: true })], err: '' };
const OVERWRITES = { code: 0, items: [{ outcome: 'updated', overwrites: true }] };

describe('a remote bundle of an earlier commit', () => {
  it.each<[string, (cwd: string) => void, (cwd: string) => void]>([
    ['whose code changed', editCode, (cwd) => writeFileSync(join(cwd, 'card/code.ts'), CODE)],
    ['whose imported file alone changed', editLibrary, (cwd) => editLibrary(cwd, "'later'")],
    [
      'whose imported file was moved since',
      editLibrary,
      (cwd) => {
        mkdirSync(join(cwd, 'lib/mask.ts.d'));
        renameSync(join(cwd, 'lib/mask.ts'), join(cwd, 'lib/moved.ts'));
        writeFileSync(join(cwd, 'card/code.ts'), CODE.replace('mask.ts', 'moved.ts').replace("'1'", "'2'"));
      },
    ],
    [
      'whose imported file is hidden by a later one',
      (cwd) => {
        writeFileSync(join(cwd, 'card/code.ts'), CODE.replace('mask.ts', 'mask'));
        renameSync(join(cwd, 'lib/mask.ts'), join(cwd, 'lib/mask.js'));
        writeFileSync(join(cwd, 'lib/mask.js'), 'export const mask = (text) => text;\n');
      },
      editLibrary,
    ],
    [
      'whose imported file is a link to outside now',
      editLibrary,
      (cwd) => {
        rmSync(join(cwd, 'lib'), { recursive: true });
        symlinkSync(folderWith({ 'mask.ts': 'export const mask = 1;' }), join(cwd, 'lib'));
        writeFileSync(join(cwd, 'card/code.ts'), "export default async () => ({ raw: '1' });\n");
      },
    ],
  ])('is not a conflict: one %s', async (_, theirs, mine) => {
    const { cwd, formulary } = await repository(theirs);
    mine(cwd);
    expect(await push(formulary)).toMatchObject(PLAIN);
  });

  it('is a conflict if the code on the service differs', async () => {
    const { cwd, formulary } = await repository(editLibrary);
    const [{ id }] = JSON.parse((await formulary('list --json')).out);
    await changedElsewhere(formulary, id, { name: 'Card' });
    editCode(cwd);
    expect((await push(formulary)).code).toBe(6);
  });

  it.each<[string, (cwd: string) => void]>([
    ['a package lock file changed since', (cwd) => writeFileSync(join(cwd, 'package-lock.json'), '{"version":2}')],
    ['a package of it is no longer installed', (cwd) => rmSync(join(cwd, 'node_modules/pad'), { recursive: true })],
  ])('is marked as overwritten if %s', async (_, change) => {
    const { cwd, formulary } = await repository(editLibrary);
    change(cwd);
    writeFileSync(join(cwd, 'card/code.ts'), "export default async () => ({ raw: '1' });\n");
    expect(await push(formulary)).toMatchObject(OVERWRITES);
  });

  it('is a conflict if a package lock file changed and the manifest differs', async () => {
    const { cwd, formulary } = await repository(editLibrary);
    const [{ id }] = JSON.parse((await formulary('list --json')).out);
    await changedElsewhere(formulary, id, { name: 'Card', description: 'theirs' });
    writeFileSync(join(cwd, 'package-lock.json'), '{"version":2}');
    editCode(cwd);
    expect((await push(formulary)).code).toBe(6);
  });

  it('is found without running a program that the repository configures', async () => {
    const { cwd, formulary } = await repository(editLibrary);
    const mark = plantPrograms(cwd);
    editLibrary(cwd, "'later'");
    expect(await push(formulary)).toMatchObject(PLAIN);
    expect(existsSync(mark)).toBe(false);
  });
});
