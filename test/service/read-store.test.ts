import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CliError } from '../../src/errors.ts';
import { openStore, openStoreReadOnly } from '../../src/service/store/store.ts';
import { toStoreError } from '../../src/service/store/store-errors.ts';
import { BARE } from '../helpers/folders.ts';
import { ordinaryUser } from '../helpers/ordinary-user.ts';
import { ADMIN, officialFormula, temporaryFolder, temporaryStore } from './fixture.ts';

const TOOL = join(import.meta.dirname, '../../bin/formulary.js');

describe('a data file that is read', () => {
  it('may be missing, and is not created', async () => {
    const folder = temporaryFolder();
    const store = await openStoreReadOnly(join(folder, 'new', 'x.db'));
    expect(store.formulas.list(undefined, 1, 10)).toEqual({ total: 0, formulas: [] });
    expect(store.formulas.get(ADMIN.id)).toBeUndefined();
    expect(store.applications.list()).toEqual([]);
    store.close();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('may be empty, and remains empty', async () => {
    const file = join(temporaryFolder(), 'x.db');
    writeFileSync(file, '');
    const store = await openStoreReadOnly(file);
    expect(store.formulas.list(undefined, 1, 10).total).toBe(0);
    store.close();
    expect(statSync(file).size).toBe(0);
  });

  it('returns its content, is not changed, and gets no other file next to it', () => {
    const folder = temporaryFolder();
    const file = join(folder, 'a b?mode=memory#é%20.db');
    const applications = (...words: string[]) =>
      spawnSync(process.execPath, [TOOL, 'service', 'application', ...words, '--data', file], { encoding: 'utf8' });
    applications('create', '--name', 'kept', '--type', 'public', '--permission', 'token:create');
    const before = readFileSync(file);
    expect(applications('list')).toMatchObject({ status: 0, stdout: expect.stringContaining('kept') });
    expect(readdirSync(folder)).toHaveLength(1);
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it('contains the latest writes of another process that still has it open', async () => {
    const file = join(temporaryFolder(), 'x.db');
    const writing = await temporaryStore(file);
    const reading = await openStoreReadOnly(file);
    writing.formulas.insert(officialFormula({ name: 'new' }));
    expect(reading.formulas.list(undefined, 1, 10).formulas.map(({ name }) => name)).toEqual(['new']);
    reading.close();
  });

  it.each([
    ['text', (file: string) => writeFileSync(file, 'not a database, '.repeat(100)), 'is not a database'],
    ['a folder', (file: string) => mkdirSync(file), 'cannot be opened'],
    ['a name that is too long', () => undefined, 'ENAMETOOLONG'],
  ])('is rejected with its name if it is %s', async (_, prepare, message) => {
    const file = join(temporaryFolder(), message === 'ENAMETOOLONG' ? 'x'.repeat(300) : 'x.db');
    prepare(file);
    await expect(openStoreReadOnly(file)).rejects.toMatchObject({
      outcome: 'usage',
      message: expect.stringContaining(message),
    });
    await expect(openStoreReadOnly(file)).rejects.toThrow(file);
  });
});

/** A folder with a data file, neither of which an ordinary user may write. */
async function withoutRights(isKilled = false) {
  const user = ordinaryUser();
  const { folder } = user;
  const file = join(folder, 'x.db');
  if (isKilled) await killedWriter(file);
  else {
    const store = await openStore(file);
    store.formulas.insert(officialFormula({ name: 'kept' }));
    store.close();
  }
  for (const name of readdirSync(folder)) {
    user.own(join(folder, name));
    chmodSync(join(folder, name), 0o444);
  }
  chmodSync(folder, 0o555);
  // Otherwise its owner could not remove the files.
  onTestFinished(() => chmodSync(folder, 0o755));
  const formulary = (...words: string[]) =>
    user.formulary(words, { FORMULARY_LOCAL_DATA: file, FORMULARY_PROFILE: 'local' });
  return { folder, formulary };
}

/** A process that is killed after a write: the written data is next to the data file. */
async function killedWriter(file: string): Promise<void> {
  const child = spawn(process.execPath, [TOOL, 'service', 'start', '--data', file, '--port', '0'], {
    env: { FORMULARY_SERVICE_KEY: 'key-of-the-test' },
  });
  const [line] = await once(child.stdout, 'data');
  const answer = await fetch(`${String(line).trim()}/reactor-formulas`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'svc-api-key': 'key-of-the-test' },
    body: JSON.stringify({ name: 'kept', type: 'private', code: '', ...BARE }),
  });
  expect(answer.status).toBe(201);
  child.kill('SIGKILL');
  await once(child, 'close');
  expect(existsSync(`${file}-wal`)).toBe(true);
}

describe.runIf(process.platform === 'linux')('a data file without permission to write', () => {
  it.each([false, true])('can be read, and gets no file next to it (writer killed: %s)', async (isKilled) => {
    const { folder, formulary } = await withoutRights(isKilled);
    const before = readdirSync(folder);
    const { status, stdout, stderr } = formulary('formula', 'list');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain('kept');
    expect(readdirSync(folder)).toEqual(before);
  });

  it('is rejected by a command that writes, with a hint', async () => {
    const { formulary } = await withoutRights();
    const { status, stdout, stderr } = formulary('service', 'application', 'delete', ADMIN.id, '--yes');
    expect({ status, stdout }).toEqual({ status: 5, stdout: '' });
    const words = 'service application create --name n --type public --permission token:create';
    const rejected = { status: 2, stdout: '', stderr: expect.stringMatching(/x\.db.*not writable/) };
    expect(formulary(...words.split(' '))).toMatchObject(rejected);
    expect(stderr).not.toContain('fault');
  });
});

describe('an error of the data file', () => {
  const sqlite = (rawCode: number) => Object.assign(new Error('details'), { code: 'SQLITE_X', rawCode });
  const system = (code: string) => Object.assign(new Error('details'), { code });

  it.each<[unknown, string, RegExp]>([
    [sqlite(5), 'unavailable', /locked by another process/],
    [sqlite(261), 'unavailable', /locked by another process/],
    [sqlite(13), 'unavailable', /disk is full/],
    [sqlite(10 + 256 * 3), 'unavailable', /disk failed, or is full/],
    [sqlite(1544), 'usage', /not writable/],
    [sqlite(11), 'usage', /damaged/],
    [sqlite(26), 'usage', /not a database/],
    [sqlite(14), 'usage', /cannot be opened/],
    [sqlite(1), 'usage', /details/],
    [new Error('ConnectionFailed("Unable to open connection to local database /x: 14")'), 'usage', /cannot be opened/],
    [system('ENOSPC'), 'unavailable', /disk is full/],
    [system('ENAMETOOLONG'), 'usage', /ENAMETOOLONG/],
    [system('EROFS'), 'usage', /EROFS/],
  ])('%s is %s', (error, outcome, message) => {
    const told = toStoreError('/x.db', error) as CliError;
    expect(told).toBeInstanceOf(CliError);
    expect(told).toMatchObject({ outcome, message: expect.stringMatching(message), hint: expect.any(String) });
    expect(told.message).toContain('/x.db');
  });

  it('is not any other error', () => {
    const error = new TypeError('x is not a function');
    expect(toStoreError('/x.db', error)).toBe(error);
  });
});
