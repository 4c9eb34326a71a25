import { chmodSync, lstatSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { applyEdit } from '../../src/edit/apply-edit.ts';
import type { EditResult } from '../../src/edit/change-folder.ts';
import { CliError } from '../../src/errors.ts';
import { formatEditSummary } from '../../src/views/edit-view.ts';
import { CARD_CODE, CARD_MANIFEST, cardFiles, folderWith, inFolder } from '../helpers/folders.ts';
import { commit, git } from '../helpers/git.ts';
import { machine } from '../helpers/machine.ts';
import { exitsWith, expectExit, type HostOptions, run } from '../helpers/test-host.ts';

type Files = Record<string, string | Buffer>;

const edit = (cwd: string, words: readonly string[], hostOptions: HostOptions = {}) =>
  run(['formula', 'edit', ...words], { cwd, ...hostOptions });

/** Three formulas: two with a year, one without. */
const project = (more: Files = {}) =>
  folderWith({
    ...inFolder('formulas/a', cardFiles({ name: 'Card A' })),
    ...inFolder('formulas/b', cardFiles({ name: 'Card B' })),
    ...inFolder('formulas/c', cardFiles({ name: 'Other', request_parameters: [] })),
    ...more,
  });

const textOf = (cwd: string, file: string) => readFileSync(join(cwd, file), 'utf8');

/** Every file with its text. */
const snapshot = (cwd: string) =>
  readdirSync(cwd, { recursive: true, encoding: 'utf8' })
    .filter((file) => lstatSync(join(cwd, file)).isFile())
    .map((file) => [file, textOf(cwd, file)]);

const YEAR = 'request_parameters[card.year].optional';

describe('formula edit', () => {
  it('changes the manifests with the KEY, prints the differences, and proposes diff and push', async () => {
    const cwd = project();
    const before = textOf(cwd, 'formulas/a/manifest.json');
    expect(await edit(cwd, ['formulas', '--set', `${YEAR}=false`])).toEqual({
      code: 0,
      out: ['a', 'b']
        .map((name) =>
          [
            `--- formulas/${name}/manifest.json`,
            `+++ formulas/${name}/manifest.json`,
            '@@ -16,7 +16,7 @@',
            '     {',
            '       "name": "card.year",',
            '       "type": "number",',
            '-      "optional": true',
            '+      "optional": false',
            '     }',
            '   ]',
            ' }',
            '\\ No newline at end of file\n',
          ].join('\n'),
        )
        .join(''),
      err: '2 edited, 1 skipped\nnext: formulary formula diff formulas\nnext: formulary formula push formulas\n',
    });
    expect(textOf(cwd, 'formulas/a/manifest.json')).toBe(before.replace('"optional": true', '"optional": false'));
    expect(await edit(cwd, ['formulas', '--set', `${YEAR}=false`])).toEqual({
      code: 0,
      out: '',
      err: 'nothing to do: 2 unchanged, 1 skipped\n',
    });
  });

  it('shows with --dry-run what would change, writes nothing, and exits with 10', async () => {
    const cwd = project();
    const before = snapshot(cwd);
    const { code, out, err } = await edit(cwd, ['formulas', '--unset', 'description', '--dry-run']);
    expect({ code, err }).toEqual({ code: 10, err: '3 to edit\n' });
    expect(out).toContain('-  "description": "Tokenizes a card",\n');
    expect(snapshot(cwd)).toEqual(before);
    expect(await edit(cwd, ['formulas', '--set', 'type=private', '--dry-run'])).toMatchObject({ code: 0 });
  });

  it('prints a result document with --json, and nothing on stderr', async () => {
    const cwd = project();
    const { code, out, err } = await edit(cwd, ['formulas', '--set', `${YEAR}=false`, '--unset', `${YEAR}`, '--json']);
    expectExit({ code, err }, 0, '');
    const changes = [
      {
        file: 'manifest.json',
        line: 18,
        old: '      "type": "number",\n      "optional": true',
        new: '      "type": "number"',
      },
    ];
    expect(JSON.parse(out)).toEqual({
      schema_version: 1,
      items: [
        { folder: 'formulas/a', outcome: 'edited', changes },
        { folder: 'formulas/b', outcome: 'edited', changes },
        { folder: 'formulas/c', outcome: 'skipped', changes: [] },
      ],
      summary: { total: 3, edited: 2, would_edit: 0, unchanged: 0, skipped: 1, invalid: 0 },
    });
  });

  it('makes the changes in the order of the flags', async () => {
    const cwd = project();
    const words = 'formulas/a --set description=1 --set name=N --set description=2 --set-json configuration=[]';
    expect(await edit(cwd, words.split(' '))).toMatchObject({ code: 0 });
    const manifest = { ...CARD_MANIFEST, name: 'N', description: '2', configuration: [] };
    expect(JSON.parse(textOf(cwd, 'formulas/a/manifest.json'))).toEqual(manifest);
  });

  it('adds an element with --set-json, for which its type is needed', async () => {
    const cwd = project();
    const set = (json: string) => edit(cwd, ['formulas', '--set-json', `request_parameters[currency]=${json}`]);
    expect(await set('{"optional":true}')).toEqual({
      code: 5,
      out: '',
      err: '3 skipped\nerror: no formula has request_parameters[currency]\nhint: To add it, include its type: --set-json \'request_parameters[currency]={"type": "string"}\'\n',
    });
    expectExit(await set('{"type":"string"}'), 0, '3 edited\n');
    const { request_parameters: parameters } = JSON.parse(textOf(cwd, 'formulas/c/manifest.json'));
    expect(parameters).toEqual([{ name: 'currency', type: 'string' }]);
  });

  it('edits the formulas whose complete name matches', async () => {
    const cwd = project();
    expect(await edit(cwd, ['formulas', '--name', 'card', '--unset', 'description'])).toMatchObject({ code: 5 });
    const words = ['formulas', '--name', 'card*b', '--unset', 'description'];
    expectExit(await edit(cwd, words), 0, /^1 edited\n/);
    expect(JSON.parse(textOf(cwd, 'formulas/b/manifest.json'))).not.toHaveProperty('description');
    const err = 'error: no formula has a name that matches "nobody"\n';
    expect(await edit(cwd, ['formulas', '--name', 'nobody', '--unset', 'description'])).toEqual({
      code: 5,
      out: '',
      err,
    });
  });

  it.each<[string, Files, string]>([
    ['comments', { 'manifest.json': '{\n  // x\n  "name": "a"\n}' }, 'manifest.json:2:3 error manifest-syntax'],
    ['a duplicate key', { 'manifest.json': '{"name":"a","name":"b"}' }, ':1:13 error manifest-duplicate-key'],
    ['no manifest', { 'code.js': '' }, 'error manifest-missing'],
    ['a manifest in Latin-1', { 'manifest.json': Buffer.from('{"name":"\xe9"}', 'latin1') }, 'error encoding'],
  ])('rejects a formula with %s, and writes nothing', async (_, files, finding) => {
    const cwd = project(inFolder('bad', files));
    const before = snapshot(cwd);
    const { code, out, err } = await edit(cwd, ['formulas', 'bad', '--set', 'description=x']);
    expect({ code, out }).toEqual({ code: 3, out: '' });
    expect(err).toContain(finding);
    expect(err).toContain(
      '3 to edit, 1 invalid\nNo files were changed. Fix the errors above and run the command again.\n',
    );
    expect(snapshot(cwd)).toEqual(before);
  });

  it('writes nothing if one result is invalid', async () => {
    const cwd = project();
    const before = snapshot(cwd);
    const words = ['formulas', '--set', 'configuration[BRANDS].name=a.b', '--set', `${YEAR}=true`, '--json'];
    const { code, out, err } = await edit(cwd, words);
    expectExit({ code, err }, 3, '');
    const { items, summary } = JSON.parse(out);
    expect(summary).toMatchObject({ total: 3, invalid: 3, edited: 0 });
    expect(items[0]).toMatchObject({
      folder: 'formulas/a',
      outcome: 'invalid',
      changes: [{ file: 'manifest.json', line: 7 }],
      findings: [{ file: 'manifest.json', line: 7, level: 'error', rule: 'configuration-name' }],
    });
    expect(snapshot(cwd)).toEqual(before);
  });

  it('rejects a name of several elements', async () => {
    const cwd = folderWith(cardFiles({ configuration: Array(2).fill({ name: 'A', type: 'string' }) }));
    expect(await edit(cwd, ['.', '--set', 'configuration[A].description=x'])).toMatchObject(
      exitsWith(
        3,
        'manifest.json:5:20 error edit-key: configuration has several elements with the name "A"; use the index of one, such as [0]',
      ),
    );
    expect(await edit(cwd, ['.', '--set', 'configuration[1].description=x'])).toMatchObject({ code: 0 });
  });

  it('exits with 5 if no formula has the KEY, and proposes a similar one', async () => {
    const cwd = project();
    expect(await edit(cwd, ['formulas', '--set', 'configuration[BRNDS].type=string'])).toEqual({
      code: 5,
      out: '',
      err: '3 skipped\nerror: no formula has configuration[BRNDS].type; did you mean "configuration[BRANDS].type"?\n',
    });
    const words = ['--unset', 'configuration[X]', '--unset', 'description', '--verbose'];
    expect(await edit(cwd, ['formulas/a', ...words])).toMatchObject(
      exitsWith(
        0,
        'note: formulas/a does not have configuration[X]\nwarning: no formula has configuration[X]\n1 edited\n',
      ),
    );
  });

  it('does not warn of a KEY if no manifest could be read', async () => {
    const cwd = project();
    writeFileSync(join(cwd, 'formulas/a/manifest.json'), '{');
    const { code, err } = await edit(cwd, ['formulas/a', '--set', 'description=x']);
    expect(code).toBe(3);
    expect(err).not.toContain('no formula has');
  });

  it.each<[string, string[], string]>([
    ['no change', [], 'no change was specified: pass --set, --set-json, or --unset'],
    ['a value without a KEY', ['--set', 'description'], 'invalid value "description" for --set: must be KEY=VALUE'],
    ['a broken KEY', ['--unset', 'configuration['], 'invalid value "configuration[" for --unset: must be a KEY'],
    [
      'an unknown key',
      ['--set', 'configuration[X].typ=a'],
      'unknown key "configuration[X].typ"; did you mean "configuration[X].type"?',
    ],
    ['a key that nothing has', ['--set', 'owner=a'], 'unknown key "owner"'],
    ['another type', ['--set', `${YEAR}=yes`], `invalid value "yes" for --set ${YEAR}: must be true or false`],
    ['lists', ['--set', 'configuration=a'], 'invalid value "a" for --set configuration: must be JSON, with --set-json'],
    ['broken JSON', ['--set-json', 'description=a'], 'invalid value "a" for --set-json description: must be JSON'],
  ])('rejects %s', async (_, words, message) => {
    expectExit(await edit(project(), ['formulas', ...words]), 2, `error: ${message}`, '');
  });

  it('requires a PATH, and has nothing to do for an empty list', async () => {
    const change = ['--set', 'description=x'];
    expectExit(await edit(project(), change), 2, "argument 'path'");
    const nothing = { code: 0, out: '', err: 'nothing to do\n' };
    expect(await edit(project(), ['--paths-from', '-', ...change])).toEqual(nothing);
    expectExit(await edit(project({ x: '' }), ['x', ...change]), 2, 'note: skipped x');
  });

  it('proposes to compare the behavior with the last commit, if there is one', async () => {
    const cwd = project();
    git(cwd, 'init', '-q');
    const words = ['formulas', '--exclude', 'c', '--set'];
    expect((await edit(cwd, [...words, 'description=x'])).err).toContain('next: formulary formula push formulas');
    commit(cwd, 'all');
    expect((await edit(cwd, [...words, 'description=y'])).err).toBe(
      '2 edited\nnext: formulary formula test formulas --exclude c --compare HEAD\n',
    );
  });

  it('proposes commands for the same selection', async () => {
    const words = ['formulas', '--exclude', 'c', '--exclude', 'b*', '--set', 'description=x'];
    const { err } = await edit(project(), words);
    expect(err).toContain("1 edited\nnext: formulary formula diff formulas --exclude c --exclude 'b*'\n");
    const listed = ['--paths-from', '-', '--set', 'description=x'];
    expect((await edit(project(), listed, { stdin: 'formulas/a' })).err).toBe('1 edited\n');
  });

  it('keeps byte order marks, line breaks, indentation, and file modes', async () => {
    const manifest = `\ufeff{\r\n\t"name": "N", "type": "private",\r\n\t"configuration":[ ], "request_parameters": []}\r\n\r\n`;
    const cwd = folderWith({ 'manifest.json': manifest, 'code.js': `\ufeff${CARD_CODE}` });
    chmodSync(join(cwd, 'manifest.json'), 0o640);
    const { out } = await edit(cwd, ['.', '--set', 'description=é']);
    expect(textOf(cwd, 'manifest.json')).toBe(manifest.replace('"N",', '"N", "description": "é",'));
    expect(out).not.toContain('\\u000d');
    expect(statSync(join(cwd, 'manifest.json')).mode & 0o777).toBe(0o640);
    expect(textOf(cwd, 'code.js')).toBe(`\ufeff${CARD_CODE}`);
  });

  it('does not write through a symbolic link, nor any other file', async () => {
    const cwd = project({ 'real.json': cardFiles({ name: 'Linked' })['manifest.json'], 'linked/code.js': CARD_CODE });
    symlinkSync('../real.json', join(cwd, 'linked/manifest.json'));
    const before = snapshot(cwd);
    for (const words of [[], ['--dry-run']]) {
      expect(await edit(cwd, ['formulas', 'linked', '--set', 'description=x', ...words])).toMatchObject(
        exitsWith(2, 'could not write linked/manifest.json: it is a symbolic link'),
      );
    }
    expect(snapshot(cwd)).toEqual(before);
  });

  it('stops between two folders after a signal', async () => {
    const cwd = project();
    const before = snapshot(cwd);
    const stopping = AbortSignal.abort('SIGINT');
    expect(await edit(cwd, ['formulas', '--set', 'description=x'], { stopping })).toMatchObject(
      exitsWith(130, 'interrupted: 0 of 3 formulas were edited'),
    );
    expect(snapshot(cwd)).toEqual(before);
  });
});

describe('a manifest that changed after it was read', () => {
  it('is not overwritten', async () => {
    const cwd = folderWith(cardFiles());
    const before = textOf(cwd, 'manifest.json');
    writeFileSync(join(cwd, 'manifest.json'), `${before} `);
    const manifest = { before, after: '{}', hasByteOrderMark: false };
    const folder = { path: cwd, displayPath: 'card' };
    const planned: EditResult = { folder, outcome: 'would_edit', manifest, skipped: [], keys: [] };
    const host = { installSignalHandlers: () => true, abortSignal: new AbortController().signal };
    const [result] = await applyEdit([planned], {}, host);
    expect(result).toMatchObject({
      outcome: 'would_edit',
      error: {
        message: 'card/manifest.json changed in the meantime and was not written',
        hint: 'Run the command again.',
      },
    });
    expect(textOf(cwd, 'manifest.json')).toBe(`${before} `);
  });
});

describe('the changes of an edit', () => {
  it('are sent by push, and nothing else', async () => {
    const cwd = project();
    const formulary = machine({ cwd });
    expect(await formulary('push formulas')).toMatchObject({ code: 0 });
    expect(await formulary(`edit formulas --set ${YEAR}=false --exclude b`)).toMatchObject({ code: 0 });
    const { out } = await formulary('push formulas --json');
    expect(JSON.parse(out).items).toMatchObject([
      { folder: 'formulas/a', outcome: 'updated', changed: ['request_parameters'] },
      { folder: 'formulas/b', outcome: 'unchanged' },
      { folder: 'formulas/c', outcome: 'unchanged' },
    ]);
  });
});

describe('diff and push', () => {
  it('work on the same selection of folders, and delete no excluded formula', async () => {
    const cwd = project();
    const formulary = machine({ cwd });
    expect(await formulary('push formulas')).toMatchObject({ code: 0 });
    expect(await formulary('edit formulas --set description=x')).toMatchObject({ code: 0 });
    const diff = await formulary('diff formulas --exclude a');
    expectExit(diff, 10, 'push formulas --exclude a');
    expect(diff.out).not.toContain('Card A');
    const listed = { stdin: 'formulas/c/code.js' };
    expect((await formulary('push --paths-from - --json', listed)).out).toContain('"updated": 1');
    expect(await formulary('push --paths-from -', { stdin: '' })).toMatchObject({ code: 0, err: 'nothing to do\n' });
    expectExit(await formulary('push'), 2, "argument 'path'");
    rmSync(join(cwd, 'formulas/c'), { recursive: true });
    const kept = await formulary('push formulas --exclude c --prune --yes --json');
    expect(JSON.parse(kept.out).summary).toMatchObject({ updated: 2, deleted: 0 });
    const pruned = await formulary('push formulas --prune --yes --json');
    expect(JSON.parse(pruned.out).summary).toMatchObject({ deleted: 1 });
  });
});

it('edit counts what was written if a write failed, as on a full disk', () => {
  const folder = { path: '/a', displayPath: 'a' };
  const edited: EditResult = { folder, outcome: 'edited', skipped: [], keys: [] };
  const failed: EditResult = { ...edited, outcome: 'would_edit', error: new CliError('usage', 'the disk is full') };
  expect(formatEditSummary([edited, failed])).toBe('1 edited, 1 not written');
});
