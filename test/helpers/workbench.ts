/** The workbench of `formula dev` in this process, and requests to it over real sockets. */
import { request } from 'node:http';
import { expect } from 'vitest';
import { folderWith } from './folders.ts';
import { startCommand } from './test-host.ts';

interface WorkbenchReply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read any member of the JSON.
  body: any;
}

export interface RunningWorkbench {
  cwd: string;
  /** Such as http://127.0.0.1:8080. */
  url: string;
  token: string;
  texts: { out: string; err: string };
  /** Sends a request, with the token and as JSON unless the headers differ; undefined removes one. */
  send(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string | undefined>,
  ): Promise<WorkbenchReply>;
  /** Stops it; its exit code. */
  stop(): Promise<number>;
}

/** Starts it over a folder of these files, and stops it when the test ends. */
export async function startWorkbench(
  files: Record<string, string | Buffer>,
  args: readonly string[] = [],
  env: Record<string, string> = {},
  cwd = folderWith(files),
): Promise<RunningWorkbench> {
  const hostOptions = { cwd, env: { XDG_STATE_HOME: folderWith(), ...env } };
  const { texts, stop } = startCommand(['formula', 'dev', ...args], hostOptions);
  await expect.poll(() => texts.out, { interval: 5, timeout: 10_000 }).toMatch(/\n$/);
  const [, url = '', token = ''] = /^(http:\/\/127\.0\.0\.1:\d+)\/#token=([\w-]+)\n$/.exec(texts.out) ?? [];
  return { cwd, url, token, texts, stop, send: (...request) => send(url, token, ...request) };
}

function send(
  url: string,
  token: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string | undefined> = {},
): Promise<WorkbenchReply> {
  const defaults = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const all = Object.entries({ ...defaults, ...headers }).filter(([, value]) => value !== undefined);
  return new Promise((resolve, reject) => {
    const sent = request(
      url + path,
      { method, headers: Object.fromEntries(all) as Record<string, string> },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => {
          const isJson = response.headers['content-type'] === 'application/json';
          const { statusCode: status = 0, headers: received } = response;
          resolve({ status, headers: received, text, body: isJson ? JSON.parse(text) : undefined });
        });
      },
    );
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body));
  });
}
