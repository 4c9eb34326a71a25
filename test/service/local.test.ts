import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LOCAL_APPLICATION_ID, openLocal } from '../../src/service/local.ts';
import { answer, bodyOf, requestOf, temporaryFolder } from './fixture.ts';

describe('the local service', () => {
  it('answers without a key, and keeps its formulas in the file', async () => {
    const file = join(temporaryFolder(), 'local.db');
    const first = openLocal(file);
    const created = await answer(await first.fetch(requestOf('http://local/reactor-formulas', 'POST', bodyOf())));
    await first.close();
    expect(created).toMatchObject({ status: 201, json: { created_by: LOCAL_APPLICATION_ID } });
    const second = openLocal(file);
    const path = `http://local/reactor-formulas/${created.json.id}`;
    const changed = await answer(await second.fetch(requestOf(path, 'PUT', bodyOf({ name: 'x' }))));
    expect(changed.json).toMatchObject({ name: 'x', modified_by: LOCAL_APPLICATION_ID });
    expect((await second.fetch(requestOf(path, 'DELETE'))).status).toBe(204);
    await second.close();
  });
});
