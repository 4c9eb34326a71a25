/** What a push that failed was about to send is a local change, which pull keeps. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CARD_CODE, CARD_MANIFEST, cardFiles, folderWith, inFolder } from '../helpers/folders.ts';
import { json, loopback } from '../helpers/loopback.ts';
import { run } from '../helpers/test-host.ts';

it.each(['push card', 'update card'])('a pull after a rejected %s keeps the folder', async (words) => {
  const id = '00000000-0000-4000-8000-000000000001';
  const remote = { ...CARD_MANIFEST, id, code: CARD_CODE };
  const { url } = await loopback((request, response) => {
    if (request.method !== 'GET') return json(response, 422, { title: 'No' });
    const isList = !request.url.includes(id);
    json(response, 200, isList ? { pagination: { total_items: 1, total_pages: 1 }, data: [remote] } : remote);
  });
  const cwd = folderWith(inFolder('card', cardFiles()));
  const env = {
    FORMULARY_BASE_URL: url,
    FORMULARY_API_KEY: 'key',
    FORMULARY_TARGET: 'test',
    XDG_STATE_HOME: folderWith(),
  };
  const formulary = (line: string) => run(['formula', ...line.split(' ')], { cwd, env });
  expect((await formulary('push card')).code).toBe(0);
  const code = join(cwd, 'card/code.js');
  writeFileSync(code, `${CARD_CODE}// mine\n`);
  expect((await formulary(words)).code).toBe(1);
  expect((await formulary('pull')).code).toBe(10);
  expect(readFileSync(code, 'utf8')).toContain('// mine');
});
