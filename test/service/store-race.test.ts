import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { temporaryFolder, temporaryStore } from './fixture.ts';

/** Opens the file, prints "open", inserts `count` formulas (0: for ever) and prints the id of each once it is kept. */
const WRITER = `
import { randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';
import { openStore } from './store.ts';
const [file, count] = process.argv.slice(2);
const body = { name: 'n', description: null, type: 'private', status: 'verified', icon: null, code: 'c'.repeat(2000),
  configuration: [], request_parameters: [], created_at: '', created_by: '', modified_at: null, modified_by: null };
openStore(file).then((store) => {
  for (let i = 0; Number(count) === 0 || i < Number(count); i++) {
    const id = randomUUID();
    store.formulas.insert({ id, ...body });
    writeSync(1, id + '\\n');
  }
  store.close();
});
`;

async function writerIn(folder: string): Promise<string> {
  const outfile = join(folder, 'writer.cjs');
  await build({
    stdin: { contents: WRITER, resolveDir: resolve('src/service/store'), loader: 'ts' },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    external: ['libsql'],
    // As in the packed tool: NODE_PATH, by which the child finds libsql, is for require only.
    supported: { 'dynamic-import': false },
    logLevel: 'error',
  });
  return outfile;
}

function write(writer: string, file: string, count: number): ChildProcessByStdio<null, Readable, null> {
  return spawn(process.execPath, [writer, file, String(count)], {
    env: { NODE_PATH: resolve('node_modules') },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function exitCode(child: ReturnType<typeof write>): Promise<unknown> {
  child.stdout.resume();
  return (await once(child, 'close'))[0];
}

describe('several processes on one data file', () => {
  it('may create it at the same moment, and lose nothing', { timeout: 60_000 }, async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'new', 'x.db');
    const writer = await writerIn(folder);
    const ends = await Promise.all(Array.from({ length: 6 }, () => exitCode(write(writer, file, 20))));
    expect(ends).toEqual([0, 0, 0, 0, 0, 0]);
    expect((await temporaryStore(file)).formulas.list(undefined, 1, 1).total).toBe(120);
  });

  it('keep confirmed writes if one of them is killed while it writes', { timeout: 60_000 }, async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'x.db');
    const child = write(await writerIn(folder), file, 0);
    const ids: string[] = [];
    for await (const id of createInterface(child.stdout)) {
      ids.push(id);
      if (ids.length === 25) child.kill('SIGKILL');
    }
    const { formulas } = await temporaryStore(file);
    expect(ids.length).toBeGreaterThanOrEqual(25);
    expect(ids.filter((id) => id.length === 36 && formulas.get(id) === undefined)).toEqual([]);
  });
});
