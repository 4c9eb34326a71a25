import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderWith } from '../helpers/folders.ts';
import { run, startCommand } from '../helpers/test-host.ts';

/** Starts the service, and waits for its URL. */
async function start(data: string, key?: string, ...flags: string[]) {
  const env: Record<string, string> = key === undefined ? {} : { FORMULARY_SERVICE_KEY: key };
  const service = startCommand(['service', 'start', '--data', data, ...flags], { env });
  const { texts } = service;
  await expect.poll(() => texts.out, { interval: 5, timeout: 5000 }).toMatch(/^http:\/\/127\.0\.0\.1:\d+\n$/);
  return service;
}

/** Starts the service, and stops it; returns its output. */
async function started(data: string, key?: string, ...flags: string[]) {
  const { texts, stop } = await start(data, key, ...flags);
  expect(await stop()).toBe(0);
  return texts.err;
}

describe('service start', () => {
  it('prints a new key once, and never a chosen one', async () => {
    const data = join(folderWith(), 'a.db');
    expect(await started(data, undefined, '--quiet')).toMatch(
      /^Created a management application. Its API key \(shown only once\):\nkey_\w{32}\n$/,
    );
    expect(await started(data, undefined, '--quiet')).toBe('');
    const other = join(folderWith(), 'b.db');
    expect(await started(other, ' chosen-key\n', '--quiet')).toBe('');
    expect(await started(other, 'chosen-key', '--quiet')).toBe('');
  });

  it('prints how to stop and use it, with a placeholder for a key that is not new', async () => {
    const data = join(folderWith(), 'a.db');
    const first = await started(data);
    const key = /\n(key_\w{32})\n/.exec(first)?.[1];
    expect(first).toContain('Press Ctrl-C to stop.');
    expect(first).toMatch(/\n {2}export FORMULARY_BASE_URL=http:\/\/127\.0\.0\.1:\d+\n/);
    expect(first).toContain(`\n  export FORMULARY_API_KEY=${key}\n`);
    expect(await started(data)).toContain("\n  export FORMULARY_API_KEY='<key>'\n");
  });

  it('prints a line for each request, without the key, unless --quiet is set', async () => {
    for (const flags of [[], ['--quiet']]) {
      const { texts, stop } = await start(join(folderWith(), 'a.db'), 'chosen-key', ...flags);
      await fetch(`${texts.out.trim()}/permissions?key=chosen-key`, { headers: { 'SVC-API-KEY': 'chosen-key' } });
      expect(await stop()).toBe(0);
      const lines = texts.err.match(/^\d\d:\d\d:\d\d GET \/permissions 200 \d+ ms$/gm);
      expect(lines).toEqual(flags.length === 0 ? [expect.any(String)] : null);
      expect(texts.err).not.toContain('chosen-key');
    }
  });

  it('reports that a chosen key is not used if there are applications', async () => {
    const data = join(folderWith(), 'a.db');
    await started(data, 'chosen-key');
    expect(await started(data, 'other-key', '--quiet')).toBe(
      `note: FORMULARY_SERVICE_KEY is not used: ${data} has applications, but none with this key. To use the key, pass a new file with --data.\n`,
    );
  });

  it.each(['two\nlines', 'schlüssel'])(
    'exits with 2 at once if the chosen key is %j, and creates no data file',
    async (key) => {
      const data = join(folderWith(), 'a.db');
      const env = { FORMULARY_SERVICE_KEY: key };
      const { code, out, err } = await run(['service', 'start', '--data', data], { env });
      expect({ code, out, isMade: existsSync(data) }).toEqual({ code: 2, out: '', isMade: false });
      expect(err).toContain('the key in FORMULARY_SERVICE_KEY must be printable ASCII without');
    },
  );
});
