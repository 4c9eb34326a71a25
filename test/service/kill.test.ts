/** Services that share a data file and are killed while clients write: no confirmed write is lost. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bodyOf, temporaryFolder, temporaryStore } from './fixture.ts';

const TOOL = join(import.meta.dirname, '../../bin/formulary.js');
const KEY = 'key-of-the-test';

interface Running {
  child: ChildProcess;
  address: string;
}

async function startService(file: string): Promise<Running> {
  const child = spawn(process.execPath, [TOOL, 'service', 'start', '--data', file], {
    env: { FORMULARY_SERVICE_KEY: KEY },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = await once(child.stdout, 'data');
  return { child, address: String(line).trim() };
}

async function ask(address: string, method: string, path: string, body?: unknown): Promise<Response> {
  return fetch(`${address}/reactor-formulas${path}`, {
    method,
    headers: { 'svc-api-key': KEY, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

/** The last confirmed state of each formula: its name, or that it was deleted. */
type Answered = Map<string, string | 'deleted'>;

/** Creates, renames, and deletes until the service ends; a formula whose last request was not confirmed is omitted. */
async function write(address: string, answered: Answered, hear: () => void): Promise<void> {
  for (let count = 0; ; count++) {
    let id = '';
    try {
      const created = await ask(address, 'POST', '', bodyOf({ name: 'made', code: 'c'.repeat(5000) }));
      ({ id } = (await created.json()) as { id: string });
      answered.set(id, 'made');
      hear();
      if (count % 2 === 0) continue;
      answered.delete(id);
      const method = count % 4 === 1 ? 'PUT' : 'DELETE';
      const changed = await ask(address, method, `/${id}`, method === 'PUT' ? bodyOf({ name: 'renamed' }) : undefined);
      await changed.text();
      if (changed.ok) answered.set(id, method === 'PUT' ? 'renamed' : 'deleted');
    } catch {
      return;
    }
  }
}

describe('services on one data file', () => {
  it('lose no confirmed write if they are killed while clients write to both', { timeout: 60_000 }, async () => {
    const file = join(temporaryFolder(), 'x.db');
    const answered: Answered = new Map();
    for (let round = 0; round < 2; round++) {
      const services = [await startService(file), await startService(file)];
      const wanted = answered.size + 40;
      const enough = new Promise<void>((done) => {
        const hear = () => answered.size >= wanted && done();
        const clients = services.flatMap(({ address }) => [address, address]).map((at) => write(at, answered, hear));
        void Promise.all(clients);
      });
      await enough;
      await Promise.all(
        services.map(({ child }) => {
          child.kill('SIGKILL');
          return once(child, 'close');
        }),
      );
    }
    const { formulas } = await temporaryStore(file);
    const lost = [...answered].filter(([id, name]) => (formulas.get(id)?.name ?? 'deleted') !== name);
    expect(lost).toEqual([]);
    expect(new Set(answered.values())).toEqual(new Set(['made', 'renamed', 'deleted']));
  });
});
