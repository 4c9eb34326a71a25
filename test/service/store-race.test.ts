import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { temporaryFolder, temporaryStore } from './fixture.ts';

/** Opens the file, and inserts formulas. */
const WRITER = `
import { randomUUID } from 'node:crypto';
import { openStore } from './store.ts';
const [file] = process.argv.slice(2);
const body = { name: 'n', description: null, type: 'private', status: 'verified', icon: null, code: 'c'.repeat(2000),
  configuration: [], request_parameters: [], created_at: '', created_by: '', modified_at: null, modified_by: null };
openStore(file).then((store) => {
  for (let i = 0; i < 20; i++) store.formulas.insert({ id: randomUUID(), ...body });
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

async function write(writer: string, file: string): Promise<unknown> {
  const env = { NODE_PATH: resolve('node_modules') };
  return (await once(spawn(process.execPath, [writer, file], { env, stdio: 'inherit' }), 'close'))[0];
}

describe('several processes on one data file', () => {
  it('may create it at the same moment, and lose nothing', { timeout: 60_000 }, async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'new', 'x.db');
    const writer = await writerIn(folder);
    const ends = await Promise.all(Array.from({ length: 6 }, () => write(writer, file)));
    expect(ends).toEqual([0, 0, 0, 0, 0, 0]);
    expect((await temporaryStore(file)).formulas.list(undefined, 1, 1).total).toBe(120);
  });
});
