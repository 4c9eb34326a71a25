/** --inspect: a debugger that speaks the DevTools protocol attaches to the code. */
import { SourceMap } from 'node:module';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { WebSocket } from 'undici';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { main } from '../../src/main.ts';
import { startProcess } from '../../src/run/child-process.ts';
import { invoke } from '../../src/run/invoke.ts';
import { BARE, cardFiles, folderWith } from '../helpers/folders.ts';
import { expectExit, run, testHost } from '../helpers/test-host.ts';
import { node16 } from '../node16/setup.ts';

const ON = node16 ? ['--node', node16] : [];

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}

interface Message {
  id?: number;
  method?: string;
  params: Record<string, unknown> & {
    url?: string;
    sourceMapURL?: string;
    scriptId?: string;
    hitBreakpoints?: string[];
    callFrames?: { location: { scriptId: string } }[];
  };
  result?: Record<string, unknown>;
}

/** A debugger: sends commands, and waits for events. */
async function attach(port: number) {
  const [target] = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as {
    webSocketDebuggerUrl: string;
  }[];
  const socket = new WebSocket(target?.webSocketDebuggerUrl ?? '');
  onTestFinished(() => socket.close());
  const messages: Message[] = [];
  socket.addEventListener('message', ({ data }) => void messages.push(JSON.parse(String(data))));
  await new Promise((done) => socket.addEventListener('open', done));
  let last = 0;
  return {
    send: (method: string, params: object = {}) => socket.send(JSON.stringify({ id: ++last, method, params })),
    event: (method: string, is: (message: Message) => boolean = () => true) =>
      vi.waitFor(() => {
        const at = messages.findIndex((message) => message.method === method && is(message));
        if (at < 0) throw new Error(`no ${method}`);
        return messages.splice(at, 1)[0] as Message;
      }, 20_000),
  };
}

it('stops at the exported function, and at a breakpoint in code.ts through its source map', async () => {
  const port = await freePort();
  const code =
    'interface Result { raw: { n: number } }\n\nexport default async (): Promise<Result> => {\n  const n = 41;\n  return { raw: { n: n + 1 } };\n};\n';
  const { 'code.js': _, ...files } = cardFiles(BARE, { 'code.ts': code });
  const cwd = folderWith(files as Record<string, string>);
  const { host, texts } = testHost({ cwd });
  const ended = main(['formula', 'run', '.', ...ON, `--inspect=${port}`, '--timeout', '0.5'], host);
  await vi.waitFor(() => expect(texts.err).toContain(`Waiting for a debugger on 127.0.0.1:${port}`), 20_000);
  const client = await attach(port);
  client.send('Runtime.enable');
  client.send('Debugger.enable');
  client.send('Runtime.runIfWaitingForDebugger');
  const { params: script } = await client.event(
    'Debugger.scriptParsed',
    ({ params }) => params.url?.endsWith('code.ts') ?? false,
  );
  const { params: first } = await client.event('Debugger.paused');
  expect(first.callFrames?.[0]?.location.scriptId).toBe(script.scriptId);
  const payload = JSON.parse(Buffer.from(script.sourceMapURL?.split(',')[1] ?? '', 'base64').toString());
  expect(payload.sources[0]).toBe(`file://${cwd}/code.ts`);
  expect(payload.sourcesContent[0]).toBe(code);
  // As a debugger finds the generated place of line 5.
  const map = new SourceMap(payload);
  const lines = Array.from({ length: 200 }, (_, line) => line);
  const line = lines.find((at) => {
    const entry = map.findEntry(at, 10_000);
    return 'originalLine' in entry && entry.originalLine === 4 && entry.generatedLine === at;
  });
  client.send('Debugger.setBreakpoint', { location: { scriptId: script.scriptId, lineNumber: line } });
  client.send('Debugger.resume');
  const paused = await client.event('Debugger.paused');
  expect(paused.params.hitBreakpoints).toHaveLength(1);
  client.send('Debugger.resume');
  expect({ code: await ended, out: JSON.parse(texts.out) }).toEqual({ code: 0, out: { raw: { n: 42 } } });
  expect(texts.err).not.toContain('warning');
});

describe('--inspect', () => {
  it('exits with 2 if the port is in use', async () => {
    const server = createServer();
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const cwd = folderWith(cardFiles(BARE, { 'tests/a.json': '{"expect":{}}' }));
    for (const verb of ['run', 'test']) {
      const { code, err } = await run(['formula', verb, '.', ...ON, `--inspect=${port}`], { cwd });
      expectExit({ code, err }, 2, `port ${port} is already in use`);
    }
  });

  it.each<[string, string[], string]>([
    ['a port that is none', ['--inspect=99999'], 'invalid value "99999" for --inspect: must be a port from 1 to 65535'],
    ['--watch', ['--inspect', '--watch'], '--inspect and --watch cannot be used together'],
    ['several tests', ['--inspect=9300'], '--inspect requires a single test (2 selected)'],
  ])('rejects %s', async (_, words, text) => {
    const cwd = folderWith(cardFiles(BARE, { 'tests/a.json': '[{"expect":{}},{"expect":{}}]' }));
    // The folder after --inspect is not taken for a port.
    const { code, err } = await run(['formula', 'test', ...ON, ...words, '.'], { cwd });
    expectExit({ code, err }, 2, text);
  });

  it('ends the code if no debugger attaches in time', async () => {
    const folder = folderWith();
    const inspect = { port: await freePort(), attachMs: 50, onWaiting: () => undefined };
    const nodePath = node16 ?? process.execPath;
    const facts = { nodePath, folder, file: `${folder}/code.js`, code: '', args: {}, configuration: {} };
    const invocation = { ...facts, timeoutSeconds: 5, inspect, onOutput: () => undefined };
    const { exitReason } = await invoke(invocation, startProcess(nodePath, folder));
    expect(exitReason).toEqual({ kind: 'no-debugger' });
  });
});
