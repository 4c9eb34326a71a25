/** The hint of a conflict names commands that work where the conflict was found. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CARD_MANIFEST, cardFiles, folderWith, inFolder } from '../helpers/folders.ts';
import { changedElsewhere, created, type Machine, machine } from '../helpers/machine.ts';

/** The commands of a hint, without the name of the tool. */
const commandsOf = (err: string) => [...err.matchAll(/run: formulary formula (.*)$/gm)].map(([, words]) => `${words}`);

/** A clone with one published formula in `card` that somebody changed on the service, and then here. */
async function conflicting(files: Record<string, string | Buffer> = cardFiles({ name: 'Card' })) {
  const cwd = folderWith(inFolder('card', files));
  const formulary = machine({ cwd, more: { FORMULARY_TARGET: 'test' } });
  expect((await formulary(`push card`)).code).toBe(0);
  const [{ id }] = JSON.parse((await formulary('list --json')).out);
  await changedElsewhere(formulary, id, { name: 'Card' });
  const code = join(cwd, 'card', Object.keys(files).find((name) => name.startsWith('code')) ?? '');
  const edit = (text: string) => writeFileSync(code, `${readFileSync(code, 'utf8')}// ${text}\n`);
  edit('mine');
  return { formulary, cwd, id: id as string, code, edit };
}

const remoteCode = async (formulary: Machine, id: string) => (await formulary(`get ${id} --code`)).out;

describe('the commands of a conflict', () => {
  it.each([
    ['push card', '.'],
    ['push .', 'card'],
    ['push ../../card', 'card/tests'],
    ['push ..', 'card/tests'],
    ['update card', '.'],
    ['diff card', '.'],
    ['push card --dry-run', '.'],
  ])('show it, and use either version: %s in %s', async (words, below) => {
    const { formulary, cwd, id, code, edit } = await conflicting();
    mkdirSync(join(cwd, 'card/tests'));
    const hostOptions = { cwd: join(cwd, below), env: formulary.env };
    const { out, err } = await formulary(words, hostOptions);
    const [local = '', remote = '', ...show] = commandsOf(err).reverse();
    expect([remote, local]).toEqual([
      expect.stringMatching(/^pull .*--force/),
      expect.stringMatching(/^(push|update) .*--force/),
    ]);
    // A plan shows the change itself, and has no hint on stdout.
    expect(show).toEqual(/^diff|--dry-run/.test(words) ? [] : [expect.stringMatching(/^diff /)]);
    expect(commandsOf(out)).toEqual([]);
    for (const line of show) expect((await formulary(line, hostOptions)).code).toBe(10);
    expect((await formulary(local, hostOptions)).code).toBe(0);
    expect(await remoteCode(formulary, id)).toContain('// mine');
    edit('again');
    expect(await formulary(remote, hostOptions)).toMatchObject({ code: 0 });
    expect(readFileSync(code, 'utf8')).not.toContain('// again');
  });

  it('pull without --force where the folder was not edited', async () => {
    const { formulary, code } = await conflicting();
    writeFileSync(code, readFileSync(code, 'utf8').replace('// mine\n', ''));
    const remotes = ['update card', 'push card'].map(async (words) => commandsOf((await formulary(words)).err)[1]);
    const [remote = '', other] = await Promise.all(remotes);
    expect([remote, other]).toEqual([expect.stringMatching(/^pull [\w-]{36}$/), remote]);
    expect((await formulary(remote)).code).toBe(0);
    expect(readFileSync(code, 'utf8')).toContain('// theirs');
  });

  it.each([
    ['code.ts', 'export default async (req: unknown) => ({ raw: { req } });\n'],
    ['code.mjs', 'export default async (req) => ({ raw: { req } });\n'],
  ])('do not pull where code.js would be next to %s', async (file, code) => {
    const { 'manifest.json': manifest } = cardFiles({ name: 'Card' });
    const { formulary, edit } = await conflicting({ 'manifest.json': manifest, [file]: code });
    edit('comments are not in a bundle');
    for (const words of ['push card', 'update card']) {
      const { code: ended, err } = await formulary(words);
      const verbs = commandsOf(err).map((command) => command.split(' ')[0]);
      expect([ended, verbs]).toEqual([6, ['diff', words.split(' ')[0]]]);
    }
    expect((await formulary('push card --force')).code).toBe(0);
  });

  it('pull where only the manifest differs next to code.ts', async () => {
    const code = 'export default async (req: unknown) => ({ raw: { req } });\n';
    const { 'manifest.json': manifest } = cardFiles({ name: 'Card' });
    const cwd = folderWith({ 'card/manifest.json': manifest, 'card/code.ts': code });
    const formulary = machine({ cwd, more: { FORMULARY_TARGET: 'test' } });
    await formulary('push card');
    const [{ id, code: bundle }] = JSON.parse((await formulary('list --json')).out);
    const theirs = folderWith(cardFiles({ name: 'Card', description: 'theirs' }, { 'code.js': bundle }));
    const other = machine({ data: formulary.env['FORMULARY_LOCAL_DATA'] ?? '' });
    expect((await other(`update ${id} ${theirs}`)).code).toBe(0);
    const mine = JSON.stringify({ ...CARD_MANIFEST, name: 'Card', description: 'mine' });
    writeFileSync(join(cwd, 'card/manifest.json'), mine);
    const [, pull = ''] = commandsOf((await formulary('push card')).err);
    expect(await formulary(pull)).toMatchObject({ code: 0 });
    expect(readFileSync(join(cwd, 'card/manifest.json'), 'utf8')).toContain('theirs');
  });

  it('name the formula where an update names another than the folder has', async () => {
    const { formulary, cwd, code, edit } = await conflicting();
    const [other = ''] = await created(formulary, 'Other');
    // Under the name of the first formula, it would be refused.
    writeFileSync(join(cwd, 'card/manifest.json'), JSON.stringify({ ...CARD_MANIFEST, name: 'Other' }));
    expect((await formulary(`update ${other} card`)).code).toBe(0);
    await changedElsewhere(formulary, other, { name: 'Other' });
    edit('again');
    const { code: ended, err } = await formulary(`update ${other} card --no-history`);
    expect(ended).toBe(6);
    expect(commandsOf(err)).toEqual([`get ${other}`, `update ${other} card --force --no-history`]);
    for (const command of commandsOf(err)) expect((await formulary(command)).code).toBe(0);
    expect(await remoteCode(formulary, other)).toBe(readFileSync(code, 'utf8'));
  });

  it('keep the flags of a push that the next one needs', async () => {
    const { formulary } = await conflicting();
    const { err } = await formulary('push card --no-history');
    expect(commandsOf(err).at(-1)).toBe('push card --force --no-history');
  });
});
