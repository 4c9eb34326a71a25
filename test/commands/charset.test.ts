/** Commands against a service that responds in another charset than UTF-8. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Formula } from '../../src/model.ts';
import { cardFiles, folderWith } from '../helpers/folders.ts';
import { loopback } from '../helpers/loopback.ts';
import { run } from '../helpers/test-host.ts';

const OLD: Formula = {
  id: '00000000-0000-4000-8000-000000000001',
  name: 'Tokenize a card',
  description: 'Zahlung prüfen',
  type: 'private',
  code: 'old',
  configuration: [],
  request_parameters: [],
};

/** A service of one formula whose responses are in Latin-1, after some in ASCII. */
async function service(contentType: string) {
  let formula = OLD;
  const { url, requests } = await loopback((request, response) => {
    if (request.method === 'PUT') formula = { ...formula, ...JSON.parse(request.body) };
    const isList = request.url.includes('?');
    const value = isList ? { pagination: { total_items: 1, total_pages: 1 }, data: [formula] } : formula;
    response.writeHead(200, { 'content-type': contentType }).end(Buffer.from(JSON.stringify(value), 'latin1'));
  });
  const env = { FORMULARY_BASE_URL: url, FORMULARY_API_KEY: 'key_of_the_test', XDG_STATE_HOME: folderWith() };
  return Object.assign((...words: string[]) => run(['formula', ...words], { env }), {
    requests,
    formula: () => formula,
  });
}

const { description: _, ...manifest } = JSON.parse(cardFiles()['manifest.json']);
const folder = () => folderWith({ ...cardFiles(), 'manifest.json': JSON.stringify(manifest) });

describe('a service that responds in Latin-1', () => {
  it('is decoded with the declared charset, and gets its strings back', async () => {
    const formulary = await service('application/json; charset=ISO-8859-1');
    const dir = folderWith();
    expect(await formulary('pull', '--dir', dir)).toMatchObject({ code: 0 });
    const pulled = readFileSync(join(dir, 'tokenize-a-card/manifest.json'), 'utf8');
    expect(JSON.parse(pulled).description).toBe(OLD.description);
    expect(await formulary('update', folder())).toMatchObject({ code: 0 });
    expect(formulary.formula().description).toBe(OLD.description);
  });
});
