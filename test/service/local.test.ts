import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LOCAL_APPLICATION_ID, openLocalService } from '../../src/service/local.ts';
import { openDatabase } from '../../src/service/store/database.ts';
import { bodyOf, officialFormula, temporaryFolder, temporaryService } from './fixture.ts';

function local(file = join(temporaryFolder(), 'local.db')) {
  const service = openLocalService(file);
  onTestFinished(() => service.close());
  return async (method: string, path: string, sent?: unknown) => {
    const text = typeof sent === 'string' ? sent : sent === undefined ? undefined : JSON.stringify(sent);
    const { status, headers, body } = await service.handle({ method, path, body: text });
    return { status, type: headers['content-type'], json: body.length > 0 ? JSON.parse(body.toString()) : undefined };
  };
}

describe('the local service', () => {
  it('requires no key, and stores its formulas in the file', async () => {
    const file = join(temporaryFolder(), 'local.db');
    const created = await local(file)('POST', '/reactor-formulas', bodyOf());
    expect(created).toMatchObject({ status: 201, json: { created_by: LOCAL_APPLICATION_ID } });
    const ask = local(file);
    const path = `/reactor-formulas/${created.json.id}`;
    const changed = await ask('PUT', path, bodyOf({ name: 'x' }));
    expect(changed.json).toMatchObject({ name: 'x', modified_by: LOCAL_APPLICATION_ID });
    expect(await ask('DELETE', path)).toMatchObject({ status: 204, json: undefined });
    expect((await ask('GET', path)).status).toBe(404);
  });

  const ONE = `/reactor-formulas/${officialFormula().id}`;
  const NESTED = `{"x":${'['.repeat(70)}${']'.repeat(70)}}`;

  it.each<[method: string, path: string, sent?: unknown]>([
    ['GET', '/permissions'],
    ['GET', '/permissions?application_type=private'],
    ['GET', '/reactor-formulas?page=1&size=7&name=a+b%20c*'],
    ['GET', '/reactor-formulas?size=0'],
    ['GET', ONE],
    ['GET', '/reactor-formulas/a%2Fb%20c'],
    ['GET', '/nothing'],
    ['GET', `${ONE}/code`],
    ['POST', '/reactor-formulas', bodyOf({ name: '' })],
    ['POST', '/reactor-formulas', bodyOf({ type: 'official' })],
    ['POST', '/reactor-formulas', '{"name"'],
    ['POST', '/reactor-formulas', NESTED],
    ['POST', '/reactor-formulas', bodyOf({ code: 'c'.repeat(10 * 1024 * 1024) })],
    ['PUT', ONE, bodyOf()],
    ['DELETE', ONE],
  ])('responds to %s %s as over HTTP', async (method, path, sent) => {
    const { ask } = await temporaryService();
    const { status, headers, json } = await ask(method, path, sent);
    expect(await local()(method, path, sent)).toEqual({ status, type: headers.get('content-type'), json });
  });

  it('stops waiting for another process on a signal', async () => {
    const file = join(temporaryFolder(), 'local.db');
    const other = await openDatabase(file);
    other.exec('BEGIN IMMEDIATE');
    const stopping = new AbortController();
    const service = openLocalService(file, stopping.signal);
    const answer = service.handle({ method: 'POST', path: '/reactor-formulas', body: JSON.stringify(bodyOf()) });
    setImmediate(() => stopping.abort('SIGINT'));
    await expect(answer).rejects.toMatchObject({ outcome: 'interrupted' });
    await service.close();
    other.exec('ROLLBACK');
    other.close();
  });

  it('writes once another process has released the file', async () => {
    const file = join(temporaryFolder(), 'local.db');
    const other = await openDatabase(file);
    other.exec('BEGIN IMMEDIATE');
    const answer = local(file)('POST', '/reactor-formulas', bodyOf());
    setImmediate(() => setImmediate(() => other.exec('ROLLBACK')));
    expect((await answer).status).toBe(201);
    other.close();
  });
});
