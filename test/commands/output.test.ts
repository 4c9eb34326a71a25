import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CARD_CODE, cardFiles, folderWith } from '../helpers/folders.ts';
import { json, loopback } from '../helpers/loopback.ts';
import { exitsWith, expectExit, run } from '../helpers/test-host.ts';

const FORMULAS = [
  { id: '1', name: 'One', type: 'private', code: `${CARD_CODE}\r\n\x1b[2J` },
  { id: '2', name: 'Two', type: 'official', code: null },
  { id: '3', name: 'Three', type: 'private' },
];

/** The environment of a computer that uses a service with these formulas. */
const service = async (data: object[] = FORMULAS) =>
  (await loopback((_, response) => json(response, 200, { data }))).env;

describe('list', () => {
  it.each<[string[], string]>([
    [['--fields', 'name,id'], 'One\t1\nTwo\t2\nThree\t3\n'],
    [['--fields', 'name', '--limit', '2'], 'One\nTwo\n'],
    [['--fields', 'name', '--limit', '2', '--type', 'private'], 'One\nThree\n'],
    [['--fields', 'id', '-o', 'csv'], 'id\r\n1\r\n2\r\n3\r\n'],
    [['--fields', 'id', '-o', 'jsonl'], '{"id":"1"}\n{"id":"2"}\n{"id":"3"}\n'],
  ])('with %j', async (flags, out) => {
    expect(await run(['formula', 'list', ...flags], { env: await service() })).toEqual({ code: 0, out, err: '' });
  });

  it('accepts any key of the response as a field, and rejects one that no formula has', async () => {
    const env = await service([{ id: '1', name: 'One', tags: 'a' }]);
    expect(await run(['formula', 'list', '--fields', 'tags,icon'], { env })).toMatchObject({ code: 0, out: 'a\t\n' });
    expect(await run(['formula', 'list', '--fields', 'nmae'], { env })).toMatchObject(
      exitsWith(2, /unknown field "nmae".*\n.*id, name, .*tags/, ''),
    );
  });

  it('of no formula accepts any field', async () => {
    const ended = await run(['formula', 'list', '--fields', 'nmae'], { env: await service([]) });
    expect(ended).toMatchObject({ code: 0, out: '' });
  });

  it.each([
    ['--limit', '0'],
    ['--limit', '-1'],
    ['--limit', '1.5'],
    ['--fields', 'a,,b'],
    ['--output', 'xml'],
  ])('rejects %s %s', async (flag, value) => {
    expectExit(await run(['formula', 'list', `${flag}=${value}`], { env: await service() }), 2, flag, '');
  });
});

describe('get --code', () => {
  it('prints the bytes of the code and nothing else into a pipe', async () => {
    const get = async (name: string) => run(['formula', 'get', name, '--code'], { env: await service() });
    expect(await get('One')).toEqual({ code: 0, out: FORMULAS[0]?.code, err: '' });
    expectExit(await get('Two'), 0, '', '');
  });

  it('does not let the code control a terminal', async () => {
    const { out } = await run(['formula', 'get', 'One', '--code'], { env: await service(), columns: 80 });
    expect(out).not.toContain('\x1b');
  });

  it('cannot be combined with output formats', async () => {
    expect((await run(['formula', 'get', 'One', '--code', '--json'], { env: await service() })).code).toBe(2);
  });
});

describe('validate', () => {
  const bad = () => folderWith(cardFiles({ type: 'Private' }));

  it('shows the source lines on a terminal', async () => {
    const { out } = await run(['formula', 'validate', '.'], { cwd: bad(), columns: 80 });
    expect(out).toContain('> 4 |   "type": "Private",\n    |           ^\n');
  });

  it('shows the source lines on stderr of a terminal if create rejects the folder', async () => {
    expect(await run(['formula', 'create', '.', '--local'], { cwd: bad(), columns: 80 })).toMatchObject(
      exitsWith(3, '> 4 |   "type": "Private",', ''),
    );
  });

  it('rejects a folder with a warning with --strict', async () => {
    const cwd = folderWith(cardFiles({ owner: 'x' }));
    expect(await run(['formula', 'validate', '.'], { cwd })).toMatchObject({ code: 0 });
    const { code, out } = await run(['formula', 'validate', '.', '--strict', '--json'], { cwd });
    expect(code).toBe(3);
    expect(JSON.parse(out)).toMatchObject({ items: [{ outcome: 'invalid' }], summary: { invalid: 1 } });
  });

  it('shows notes with --verbose, and in JSON always', async () => {
    const cwd = folderWith(cardFiles({ type: 'official' }));
    expect((await run(['formula', 'validate', '.'], { cwd })).out).toBe('.: valid\n');
    expect((await run(['formula', 'validate', '.', '--verbose'], { cwd })).out).toContain('note type-official');
    expect((await run(['formula', 'validate', '.', '--json'], { cwd })).out).toContain('type-official');
    expect(await run(['formula', 'validate', '.', '--strict'], { cwd })).toMatchObject({ code: 0 });
  });

  it('annotates in GitHub Actions, on stderr, with any output format', async () => {
    const env = { GITHUB_ACTIONS: 'true' };
    for (const flags of [[], ['--json']]) {
      const { err } = await run(['formula', 'validate', '.', ...flags], { cwd: bad(), env });
      expect(err).toMatch(/^::error file=manifest\.json,line=4,col=11,title=type-value::type must be "private"/);
    }
  });

  it.each([
    ['junit=manifest.json/x.xml', 'not a folder'],
    ['junit=.', 'it is a folder'],
    ['junit=', 'junit=FILE'],
    ['html=x', 'junit=FILE'],
  ])('rejects --report %s before it checks anything', async (report, words) => {
    const cwd = bad();
    expectExit(await run(['formula', 'validate', '.', '--report', report], { cwd }), 2, words, '');
    expect(readdirSync(cwd).sort()).toEqual(['code.js', 'manifest.json']);
  });
});

describe('color', () => {
  it.each<[string[], Record<string, string>, boolean]>([
    [['--color'], {}, true],
    [['--no-color'], { FORCE_COLOR: '1' }, false],
    [[], {}, false],
  ])('with %j and %j: %s', async (flags, env, wanted) => {
    const listed = await run(['formula', 'list', ...flags], { env: { ...env, ...(await service()) }, columns: 80 });
    expect(listed.out.includes('\x1b[')).toBe(wanted);
  });
});
