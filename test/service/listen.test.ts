import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createApplication } from '../../src/service/applications.ts';
import { listen, type ServerLimits } from '../../src/service/listen.ts';
import { answer, bodyOf, formatRequest, NOW, REACTOR_PERMISSIONS, temporaryService } from './fixture.ts';

const KEY = 'key-of-the-test';

async function listening(limits: Partial<ServerLimits> = {}) {
  const { app, store } = await temporaryService(null);
  const permissions = REACTOR_PERMISSIONS;
  const { application } = createApplication(store, { name: 'n', type: 'management', permissions, key: KEY, now: NOW });
  const service = await listen(app, 0, limits);
  onTestFinished(() => service.close());
  const ask = async (method: string, path: string, body?: unknown) =>
    answer(await fetch(formatRequest(service.baseUrl + path, method, body, { 'svc-api-key': KEY })));
  return { app, service, application, ask };
}

const portOf = (address: string) => Number(new URL(address).port);

/** The beginning of a create whose body is `length` bytes. */
const headOf = (length: number) =>
  `POST /reactor-formulas HTTP/1.1\r\nHost: localhost\r\nSVC-API-KEY: ${KEY}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;

/** Sends text as it is and reads until the other side ends. */
async function raw(address: string, text: string): Promise<string> {
  const socket = connect(portOf(address), '127.0.0.1');
  socket.setEncoding('latin1').write(text);
  let received = '';
  for await (const chunk of socket) received += chunk;
  return received;
}

describe('the service on loopback', () => {
  it.each([
    ['GET /permissions HTTP/1.1', 'Host: evil.example', '403'],
    ['GET http://evil.example/permissions HTTP/1.1', 'Host: localhost', '403'],
    ['GET /permissions HTTP/1.1', 'Host: localhost\r\nOrigin: http://evil.example', '403'],
    ['OPTIONS /reactor-formulas HTTP/1.1', 'Host: localhost\r\nOrigin: http://localhost:5000', '405'],
    ['HEAD /permissions HTTP/1.1', `Host: localhost\r\nSVC-API-KEY: ${KEY}`, '200'],
    ['GET /permissions HTTP/1.1', 'Host: localhost', '401'],
    ['nonsense', '', '400'],
  ])('responds to "%s" with the headers "%s": %s', async (line, headers, status) => {
    const { service } = await listening();
    const received = await raw(service.baseUrl, `${line}\r\n${headers}\r\nConnection: close\r\n\r\n`);
    expect(received.split(' ')[1]).toBe(status);
    expect(received.toLowerCase()).not.toContain('access-control');
  });

  it('listens on 127.0.0.1, on a free port', async () => {
    const { service } = await listening();
    expect(service.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*$/);
  });

  it('reports a port that is in use', async () => {
    const { app, service } = await listening();
    const { port } = new URL(service.baseUrl);
    await expect(listen(app, Number(port))).rejects.toMatchObject({
      outcome: 'usage',
      message: `port ${port} is in use`,
      hint: expect.stringContaining('--port'),
    });
  });

  it('stops with idle and incomplete requests open, and accepts no more', async () => {
    const { service, ask } = await listening();
    const half = connect(portOf(service.baseUrl), '127.0.0.1');
    await once(half, 'connect');
    half.write('POST /reactor-formulas HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n');
    // A connection that the service has not accepted yet would be reset; it accepts them in order.
    await ask('GET', '/permissions');
    const ended = once(half.resume(), 'close');
    const start = performance.now();
    await service.close();
    await ended;
    expect(performance.now() - start).toBeLessThan(2000);
    await expect(fetch(service.baseUrl)).rejects.toThrow();
    await service.close();
  });

  it('responds to a started request before it stops', async () => {
    const { service } = await listening();
    const body = JSON.stringify(bodyOf());
    const socket = connect(portOf(service.baseUrl), '127.0.0.1').setEncoding('utf8');
    socket.write(headOf(body.length) + body.slice(0, 10));
    // The service has received the headers of the request once it responds to a later one.
    await fetch(service.baseUrl);
    const closed = service.close();
    socket.write(body.slice(10));
    let received = '';
    for await (const chunk of socket) received += chunk;
    expect(received).toMatch(/^HTTP\/1\.1 201 /);
    await closed;
  });

  it('does not wait forever for a stalled request', async () => {
    const { service } = await listening({ closeMs: 100 });
    const socket = connect(portOf(service.baseUrl), '127.0.0.1');
    socket.write(headOf(1000));
    await fetch(service.baseUrl);
    const ended = once(socket.resume(), 'close');
    await service.close();
    await ended;
  });
});

describe('a client that misbehaves', () => {
  it.each([
    ['sends nothing', ''],
    ['stops in the headers', 'GET /permissions HTTP/1.1\r\nHost: localhost\r\n'],
  ])('and %s gets 408 and is disconnected', async (_, text) => {
    const { service } = await listening({ headersMs: 100 });
    expect(await raw(service.baseUrl, text)).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('and stops in the body gets 408 and is disconnected', async () => {
    const { service } = await listening({ headersMs: 100, requestMs: 150 });
    expect(await raw(service.baseUrl, `${headOf(1000)}{`)).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('and sends endless headers gets 431', async () => {
    const { service } = await listening();
    const received = await raw(service.baseUrl, `GET /permissions HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`);
    expect(received).toMatch(/^HTTP\/1\.1 431 /);
  });

  it.each([
    [30, 'all the same'],
    [Number.POSITIVE_INFINITY, 'while it sends, and is cut off in the end'],
  ])('and sends a body of %s MiB gets its 413 %s', async (size, _) => {
    const { service } = await listening();
    const socket = connect(portOf(service.baseUrl), '127.0.0.1').setEncoding('latin1');
    // Data that is sent after the response meets a closed connection.
    socket.on('error', () => undefined);
    socket.write(headOf(0).replace('Content-Length: 0', 'Transfer-Encoding: chunked'));
    const chunk = `100000\r\n${'x'.repeat(0x100000)}\r\n`;
    let sent = 0;
    const send = () => {
      while (sent < size && socket.writable) {
        sent += 1;
        if (!socket.write(sent === size ? `${chunk}0\r\n\r\n` : chunk)) return;
      }
    };
    socket.on('drain', send);
    send();
    let received = '';
    socket.on('data', (text) => {
      received += text;
    });
    await new Promise((done) => socket.once('close', done));
    expect(received).toMatch(/^HTTP\/1\.1 413 [\s\S]*larger than 10 MiB/);
    expect(sent).toBeGreaterThan(10);
  });

  it('and declares a large body, but waits, gets 413', async () => {
    const { service } = await listening();
    expect(await raw(service.baseUrl, `${headOf(20_000_000)}{`)).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('and opens a thousand connections does not block others', async () => {
    const { service, ask } = await listening();
    const sockets = Array.from({ length: 1000 }, () => connect(portOf(service.baseUrl), '127.0.0.1'));
    onTestFinished(() => sockets.forEach((socket) => void socket.destroy()));
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    expect((await ask('GET', '/permissions')).status).toBe(200);
    expect(sockets.filter((socket) => socket.destroyed)).toEqual([]);
  });
});
