import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cardFiles, folderWith, formulas, inFolder, writeFiles } from '../helpers/folders.ts';
import { commit, git } from '../helpers/git.ts';
import { machine } from '../helpers/machine.ts';
import { expectExit, run } from '../helpers/test-host.ts';

describe('formula test --compare', () => {
  it.each([
    ['--compare HEAD --update', /--compare and --update cannot be used together/],
    ['--compare HEAD --watch', /--compare and --watch cannot be used together/],
    ['--compare HEAD --inspect', /--compare and --inspect cannot be used together/],
    ['--compare HEAD --network', /--compare and --network cannot be used together/],
    ['--compare HEAD --pass-with-no-tests', /--compare and --pass-with-no-tests cannot be used together/],
    ['--compare HEAD --generate 0', /invalid value "0" for --generate/],
    ['--compare HEAD --seed -1', /invalid value "-1" for --seed/],
    ['--compare HEAD --report html=x', /must be junit=FILE or markdown=FILE/],
    ['--generate 5', /--generate requires --compare/],
    ['--seed 1', /--seed requires --compare/],
  ])('with %s is a usage error', async (flags, message) => {
    const cwd = folderWith(cardFiles());
    expectExit(await run(['formula', 'test', '.', ...flags.split(' ')], { cwd }), 2, message);
  });

  it('names the command that fixes a reference that git does not know', async () => {
    const cwd = folderWith(cardFiles());
    const compare = (...words: string[]) => run(['formula', 'test', '.', ...words], { cwd });
    expectExit(await compare('--compare', 'HEAD'), 2, /not in a git repository/);
    git(cwd, 'init', '-q');
    commit(cwd, 'all');
    const { err } = await compare('--compare', 'gone');
    expect(err).toContain('error: could not read the formulas of "gone": the repository');
    expect(err).toContain('fetch --all --tags');
  });

  it('skips what the commit does not have, passes code that is the same, and fails for an invalid folder', async () => {
    const cwd = folderWith({
      ...inFolder('f/same', cardFiles({ name: 'same' })),
      'f/broken/manifest.json': '{',
      'f/broken/code.js': '',
    });
    git(cwd, 'init', '-q');
    commit(cwd, 'all');
    writeFiles(join(cwd, 'f'), formulas('broken', 'new'));
    const compare = async () => {
      const report = ['--report', 'markdown=report.md'];
      return run(['formula', 'test', 'f', '--compare', 'HEAD', '--json', ...report], { cwd });
    };
    const { code, out } = await compare();
    const broken = 'it is invalid at HEAD: invalid JSON: missing closing brace }';
    expect({ code, document: JSON.parse(out) }).toEqual({
      code: 0,
      document: {
        schema_version: 1,
        items: [
          { folder: 'f/broken', case: null, outcome: 'skipped', error: { message: broken } },
          { folder: 'f/new', case: null, outcome: 'skipped', error: { message: 'it is not a formula at HEAD' } },
          { folder: 'f/same', case: null, outcome: 'same' },
        ],
        summary: { total: 3, same: 1, differs: 0, skipped: 2 },
      },
    });
    expect(readFileSync(join(cwd, 'report.md'), 'utf8')).toBe(
      `### Behavior compared with \`HEAD\`\n\n**1 same, 0 differ, 2 skipped**\n\n- \`f/broken\`: skipped, ${broken}\n- \`f/new\`: skipped, it is not a formula at HEAD\n- \`f/same\`: same, the code is the same\n`,
    );
    writeFileSync(join(cwd, 'f/same/manifest.json'), '{}');
    expect((await compare()).code).toBe(3);
  });

  it('with remote skips a formula that the service does not have, and needs no test', async () => {
    const cwd = folderWith(inFolder('f/a', cardFiles({ name: 'A' })));
    const formulary = machine({ cwd });
    const { code, out } = await formulary('test f --compare remote --json');
    expect([code, JSON.parse(out).items]).toEqual([
      0,
      [{ folder: 'f/a', case: null, outcome: 'skipped', error: { message: 'it is not on the service' } }],
    ]);
    expect((await formulary('push f')).code).toBe(0);
    const again = await formulary('test f --compare remote');
    expect(again).toMatchObject({ code: 0, out: 'same f/a: the code is the same\n' });
  });
});
