/** The target that a profile saves, and the line that names service, profile, and target. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cardFiles, folderWith } from '../helpers/folders.ts';
import { json, loopback } from '../helpers/loopback.ts';
import { machine } from '../helpers/machine.ts';
import { run } from '../helpers/test-host.ts';

/** A user who logged in to a service with a target. */
async function loggedIn() {
  const { url } = await loopback((_request, response) => json(response, 200, { data: [] }));
  const [config, cwd] = [folderWith(), folderWith(cardFiles())];
  const formulary = (words: string, env: Record<string, string> = {}) =>
    run(words.split(' '), { cwd, stdin: 'key_0123456789abcdef', env: { XDG_CONFIG_HOME: config, ...env } });
  await formulary(`auth login --base-url ${url} --profile prod --target production --read-only`);
  const readProfile = () => JSON.parse(readFileSync(join(config, 'formulary/profiles/prod.json'), 'utf8'));
  return { url, formulary, readProfile };
}

describe('a profile', () => {
  it('keeps its target and read-only mode at the next login, unless it is told otherwise', async () => {
    const { url, formulary, readProfile } = await loggedIn();
    await formulary(`auth login --base-url ${url} --profile prod`);
    expect(readProfile()).toMatchObject({ target: 'production', read_only: true });
    await formulary(`auth login --base-url ${url} --profile prod --target live --no-read-only`);
    expect(readProfile()).toMatchObject({ target: 'live' });
    expect(readProfile()).not.toHaveProperty('read_only');
  });

  it.each<[string, Record<string, string>, string]>([
    ['--profile prod', {}, 'profile prod, target production'],
    ['--profile prod', { FORMULARY_TARGET: 'staging' }, 'profile prod, target production'],
    ['', { FORMULARY_PROFILE: 'prod', FORMULARY_TARGET: 'staging' }, 'profile prod, target staging'],
    ['--profile prod --target staging', {}, 'profile prod, target staging'],
  ])('is named first by diff %s with %j', async (flags, env, details) => {
    const { url, formulary } = await loggedIn();
    const { err } = await formulary(`formula diff . ${flags}`.trim(), env);
    const replaced = 'note: --target replaces the target "production" of the profile "prod"\n';
    const first = flags.includes('--target') ? replaced : '';
    expect(err.startsWith(`${first}Service: ${url} (${details})\n`)).toBe(true);
    expect((await formulary(`formula diff . --json ${flags}`.trim(), env)).err).not.toContain('Service:');
  });

  it('gives its target to no other URL', async () => {
    const { url, formulary } = await loggedIn();
    const { err } = await formulary(`formula diff . --profile prod --base-url ${url}/v2`, { FORMULARY_API_KEY: 'key' });
    expect(err).toMatch(/^Service: http:\S+\/v2\n/);
  });
});

describe('push', () => {
  it('names the service first, and in its summary', async () => {
    const formulary = machine({ cwd: folderWith(cardFiles()), more: { FORMULARY_TARGET: 'test' } });
    const service = 'the embedded service (target test)';
    const { err } = await formulary('push .');
    expect(err).toBe(`Service: ${service}\n1 created on ${service}\n`);
  });

  it('notes a target that a lock file with others does not have', async () => {
    const formulary = machine({ cwd: folderWith(cardFiles()), more: { FORMULARY_TARGET: 'staging' } });
    expect((await formulary('push .')).err).not.toContain('note:');
    const { err } = await formulary('push . --dry-run --target stagng');
    expect(err).toContain('note: the lock file has no target "stagng" yet, only staging; did you mean "staging"?\n');
  });
});
