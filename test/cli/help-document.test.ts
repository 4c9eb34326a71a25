import { describe, expect, it } from 'vitest';
import { listCommandPaths } from '../../src/cli/command-table.ts';
import { expectExit, run } from '../helpers/test-host.ts';

const readHelp = async (...words: string[]) => JSON.parse((await run(['help', ...words, '--json'])).out);

describe('help --json', () => {
  it('is one document of all commands, smaller than 64 KB', async () => {
    const { code, out, err } = await run(['help', '--json']);
    expectExit({ code, err }, 0, '');
    expect(out.length).toBeLessThan(64 * 1024);
    const { schema_version, version, commands, topics, exit_codes } = JSON.parse(out);
    expect({ schema_version, version }).toEqual({ schema_version: 1, version: '0.0.0-test' });
    expect(commands.map(({ name }: { name: string }) => name)).toEqual(
      listCommandPaths().map((path) => path.join(' ')),
    );
    expect(topics).toContain('reference');
    expect(exit_codes).toContainEqual({ code: 3, name: 'invalid', meaning: expect.any(String) });
  });

  it('has the facts of one command', async () => {
    const { commands } = await readHelp('formula', 'push');
    expect(commands).toMatchObject([
      {
        name: 'formula push',
        arguments: [{ name: 'path', required: false, variadic: true }],
        writes: 'service',
        permissions: ['reactor:read', 'reactor:create', 'reactor:update', 'reactor:delete'],
        exit_codes: expect.arrayContaining([0, 2, 3, 6, 7, 9, 70, 130]),
        result: 'formulary-cli/schema/push.schema.json',
      },
    ]);
    expect(commands[0].flags).toEqual(
      expect.arrayContaining([
        { name: '--exclude', value: 'glob', description: expect.any(String), repeatable: true },
        {
          name: '--output',
          value: 'format',
          description: expect.any(String),
          default: 'table',
          choices: ['table', 'json', 'jsonl', 'csv'],
        },
        { name: '--base-url', value: 'url', description: expect.any(String), environment: 'FORMULARY_BASE_URL' },
      ]),
    );
  });

  it('has the commands of a noun, and rejects an unknown word', async () => {
    expect((await readHelp('auth')).commands).toHaveLength(3);
    expect(await run(['help', 'formula', 'psh', '--json'])).toMatchObject({ code: 2, out: '' });
  });
});

describe('help reference', () => {
  it('is one page with every command, its flags, and the flags that commands share', async () => {
    const { code, out } = await run(['help', 'reference']);
    expect(code).toBe(0);
    for (const path of listCommandPaths()) expect(out).toContain(`formulary ${path.join(' ')}`);
    expect(out.match(/ --base-url /g)).toHaveLength(1);
    expect(out.match(/ --max-deletes /g)?.length).toBeGreaterThan(0);
  });
});

describe('--version --json', () => {
  it('prints the version as JSON', async () => {
    expect(await run(['--version', '--json'])).toEqual({ code: 0, out: '{"version":"0.0.0-test"}\n', err: '' });
  });
});
