import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createApplication } from '../../src/service/applications.ts';
import { listen } from '../../src/service/listen.ts';
import { answer, bodyOf, NOW, REACTOR_PERMISSIONS, requestOf, temporaryService } from './fixture.ts';

const KEY = 'key-of-the-test';

async function listening() {
  const { app, store } = await temporaryService(null);
  const permissions = REACTOR_PERMISSIONS;
  const { application } = createApplication(store, { name: 'n', type: 'management', permissions, key: KEY, now: NOW });
  const service = await listen(app, 0);
  onTestFinished(() => service.close());
  const ask = async (method: string, path: string, body?: unknown) =>
    answer(await fetch(requestOf(service.address + path, method, body, { 'svc-api-key': KEY })));
  return { app, service, application, ask };
}

/** Sends text as it is and reads until the other side ends. */
async function raw(address: string, text: string): Promise<string> {
  const socket = connect(Number(new URL(address).port), '127.0.0.1');
  socket.setEncoding('latin1').write(text);
  let received = '';
  for await (const chunk of socket) received += chunk;
  return received;
}

describe('the service on loopback', () => {
  it('answers the whole life of a formula', async () => {
    const { ask, application } = await listening();
    const created = await ask('POST', '/reactor-formulas', bodyOf());
    expect([created.status, created.json.created_by]).toEqual([201, application.id]);
    const path = `/reactor-formulas/${created.json.id}`;
    expect((await ask('GET', path)).json.name).toBe('Tax numbers');
    expect((await ask('PUT', path, bodyOf({ name: 'New' }))).json.modified_by).toBe(application.id);
    expect((await ask('GET', '/reactor-formulas?name=new')).json.pagination.total_items).toBe(1);
    const deleted = await ask('DELETE', path);
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    expect((await ask('GET', '/permissions/')).json).toHaveLength(30);
  });

  it('tells an oversized sender 413', async () => {
    const { ask } = await listening();
    const { status, headers } = await ask('POST', '/reactor-formulas', bodyOf({ code: 'c'.repeat(11 * 2 ** 20) }));
    expect([status, headers.get('connection')]).toEqual([413, 'close']);
  });

  it.each([
    ['GET /permissions HTTP/1.1', 'Host: evil.example', '403'],
    ['GET http://evil.example/permissions HTTP/1.1', 'Host: localhost', '403'],
    ['GET /permissions HTTP/1.1', 'Host: localhost\r\nOrigin: http://evil.example', '403'],
    ['OPTIONS /reactor-formulas HTTP/1.1', 'Host: localhost\r\nOrigin: http://localhost:5000', '405'],
    ['HEAD /permissions HTTP/1.1', `Host: localhost\r\nSVC-API-KEY: ${KEY}`, '200'],
    ['GET /permissions HTTP/1.1', 'Host: localhost', '401'],
    ['nonsense', '', '400'],
  ])('answers "%s" with the headers "%s": %s', async (line, headers, status) => {
    const { service } = await listening();
    const received = await raw(service.address, `${line}\r\n${headers}\r\nConnection: close\r\n\r\n`);
    expect(received.split(' ')[1]).toBe(status);
    expect(received.toLowerCase()).not.toContain('access-control');
  });

  it('listens on 127.0.0.1, at a port of its own', async () => {
    const { service } = await listening();
    expect(service.address).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*$/);
  });

  it('says so when the port is in use', async () => {
    const { app, service } = await listening();
    const { port } = new URL(service.address);
    await expect(listen(app, Number(port))).rejects.toMatchObject({
      outcome: 'usage',
      message: `port ${port} is in use`,
      hint: expect.stringContaining('--port'),
    });
  });

  it('ends with idle and half-sent requests open, and takes no more', async () => {
    const { service, ask } = await listening();
    await ask('GET', '/permissions');
    const half = connect(Number(new URL(service.address).port), '127.0.0.1');
    await once(half, 'connect');
    half.write('POST /reactor-formulas HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n');
    const ended = once(half.resume(), 'close');
    const start = performance.now();
    await service.close();
    await ended;
    expect(performance.now() - start).toBeLessThan(2000);
    await expect(fetch(service.address)).rejects.toThrow();
    await service.close();
  });
});
