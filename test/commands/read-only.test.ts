import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findCommand, listCommandPaths } from '../../src/cli/command-table.ts';
import { cardFiles, folderWith, inFolder } from '../helpers/folders.ts';
import { ROWS } from '../helpers/key-computer.ts';
import { json, loopback } from '../helpers/loopback.ts';
import { run } from '../helpers/test-host.ts';

const WRITING = ['formula create', 'formula delete', 'formula push', 'formula restore', 'formula update'];

const writes = (path: readonly string[]) => {
  const { node } = findCommand(path);
  return 'writes' in node ? node.writes : undefined;
};

/** A computer with a read-only profile, and a service that records requests. */
async function readOnly() {
  const { url, requests } = await loopback((_request, response) => json(response, 200, { data: [] }));
  const config = folderWith();
  const profiles = join(config, 'formulary/profiles');
  mkdirSync(profiles, { recursive: true, mode: 0o700 });
  const profile = { version: 1, base_url: url, api_key_header: 'X-Key', api_key: 'key_of-a-profile', read_only: true };
  writeFileSync(join(profiles, 'production.json'), JSON.stringify(profile), { mode: 0o600 });
  const cwd = folderWith(inFolder('card', cardFiles()));
  const byProfile = { XDG_CONFIG_HOME: config, FORMULARY_PROFILE: 'production' };
  const byVariable = { FORMULARY_BASE_URL: url, FORMULARY_API_KEY: 'key_of-mine', FORMULARY_READ_ONLY: '1' };
  return { cwd, requests, byProfile, byVariable };
}

describe('read-only mode', () => {
  it('covers the commands that write to a service', () => {
    const found = listCommandPaths().filter((path) => writes(path) === 'service');
    expect(found.map((path) => path.join(' ')).sort()).toEqual(WRITING);
  });

  it.each(WRITING)('ends %s before its first request and before a prompt', async (path) => {
    const { cwd, requests, byProfile, byVariable } = await readOnly();
    const words = [...path.split(' '), ...(ROWS[path]?.('key').words ?? [])];
    const typed = async () => expect.unreachable('it prompts');
    for (const [env, reason] of [
      [byProfile, 'the profile "production" is read-only'],
      [byVariable, 'FORMULARY_READ_ONLY is set'],
    ] as const) {
      for (const argv of [words, words.filter((word) => word !== '--yes' && word !== '--force')]) {
        const { code, out, err } = await run(argv, { cwd, env, answers: [typed] });
        expect({ code, out }).toEqual({ code: 2, out: '' });
        expect(err).toMatch(new RegExp(`^error: ${path} writes to a service, but ${reason}; nothing was sent\n`));
        expect(err).toMatch(/formulary formula diff \S+ --out plan\.json\n.*formulary formula push --plan plan\.json/);
      }
    }
    expect(requests).toEqual([]);
  });

  it.each(['create card --dry-run', 'push card --dry-run', 'diff card', 'list', 'push card --local --no-history'])(
    'lets %s work',
    async (words) => {
      const { cwd, byProfile, byVariable } = await readOnly();
      const local = words.includes('--local');
      const own = { FORMULARY_LOCAL_DATA: join(folderWith(), 'local.db') };
      for (const env of local ? [{ ...own, FORMULARY_READ_ONLY: '1' }] : [byProfile, byVariable])
        expect((await run(['formula', ...words.split(' ')], { cwd, env })).err).not.toContain('writes to a service');
    },
  );

  it('names only the command that applies a plan, if there is one', async () => {
    const { cwd, byVariable } = await readOnly();
    const { err } = await run(['formula', 'push', '--plan', 'saved.json'], { cwd, env: byVariable });
    expect(err).toContain('hint: For a person to apply the plan: formulary formula push --plan saved.json\n');
  });

  it.each(['', '0', 'false'])('is off with FORMULARY_READ_ONLY=%s', async (value) => {
    const { cwd, byVariable, requests } = await readOnly();
    const env = { ...byVariable, FORMULARY_READ_ONLY: value };
    await run(['formula', 'push', 'card', '--no-history'], { cwd, env });
    expect(requests.length).toBeGreaterThan(0);
  });
});
