import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CliError } from '../../src/errors.ts';
import { type Host, withRedaction } from '../../src/host/host.ts';
import type { Formula } from '../../src/model.ts';
import { discardIfRejected, openHistory } from '../../src/state/history.ts';
import { findRun, readHistory, readVersion } from '../../src/state/history-entries.ts';
import { folderWith } from '../helpers/folders.ts';
import { testHost } from '../helpers/test-host.ts';

const TARGET = 'https://api.example.com';
const CARD: Formula = {
  id: '0b6e0f8e-8f0c-4f5e-9a52-3b1f7e6f2d11',
  name: 'Tokenize a card',
  code: 'module.exports = 1',
};

/** A host whose clock is set by hand. */
function hostAt(state: string): Host & { setTime(text: string): void } {
  let time = '2026-11-28T10:00:00.000Z';
  const host = withRedaction({ ...testHost({ env: { XDG_STATE_HOME: state } }).host, now: () => new Date(time) });
  return { ...host, setTime: (text) => (time = text) };
}

/** Saves a version in a run of its own. */
const saveVersion = (host: Host, target: string, operation: 'update' | 'delete', formula: Formula) =>
  openHistory(host, target, null).save(operation, formula);

const filesOf = (state: string) => readdirSync(join(state, 'formulary', 'history'));
const unheard = (text: string) => expect.unreachable(text);

describe('the history', () => {
  it('returns versions unchanged, newest first', () => {
    const host = hostAt(folderWith());
    saveVersion(host, TARGET, 'update', { ...CARD, name: 'Old' });
    host.setTime('2026-11-28T11:00:00.000Z');
    saveVersion(host, TARGET, 'delete', CARD);
    const found = readHistory(host, unheard);
    expect(found.map(({ at, operation, target, id, name }) => ({ at, operation, target, id, name }))).toEqual([
      { at: '2026-11-28T11:00:00.000Z', operation: 'delete', target: TARGET, id: CARD.id, name: CARD.name },
      { at: '2026-11-28T10:00:00.000Z', operation: 'update', target: TARGET, id: CARD.id, name: 'Old' },
    ]);
    expect(found.map((row) => readVersion(row, host).formula)).toEqual([CARD, { ...CARD, name: 'Old' }]);
  });

  it('has entries with different ids of 10 hex digits, also in one millisecond', () => {
    const host = hostAt(folderWith());
    const ids = [1, 2].map(() => saveVersion(host, TARGET, 'update', CARD).entry);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{10}$/);
    expect(new Set(readHistory(host, unheard).map(({ entry }) => entry))).toEqual(new Set(ids));
  });

  it('keeps the last 20 versions of a formula, and all of others', () => {
    const host = hostAt(folderWith());
    const other = { ...CARD, id: '0b6e0f8e-8f0c-4f5e-9a52-3b1f7e6f2d12' };
    saveVersion(host, TARGET, 'update', other);
    saveVersion(host, 'https://other.example.com', 'update', CARD);
    const history = openHistory(host, TARGET, null);
    for (let minute = 10; minute < 35; minute += 1) {
      host.setTime(`2026-11-28T10:${minute}:00.000Z`);
      history.save('update', CARD);
    }
    history.close();
    const kept = readHistory(host, unheard);
    expect(
      kept.filter(({ id, target }) => id === CARD.id && target === TARGET).map(({ at }) => at.slice(14, 16)),
    ).toEqual(Array.from({ length: 20 }, (_, i) => String(34 - i)));
    expect(kept).toHaveLength(22);
  });

  it.each([
    ['failed', 0],
    ['unavailable', 0],
    ['unknown', 1],
    ['interrupted', 1],
  ] as const)('after a write that ended as %s has %i entries', async (outcome, count) => {
    const host = hostAt(folderWith());
    const write = Promise.reject(new CliError(outcome, 'no'));
    await discardIfRejected(saveVersion(host, TARGET, 'delete', CARD), write).catch(() => undefined);
    expect(readHistory(host, unheard)).toHaveLength(count);
  });

  it('keeps the version that was just saved after the clock was set back', () => {
    const host = hostAt(folderWith());
    host.setTime('2027-01-01T00:00:00.000Z');
    for (let i = 0; i < 20; i++) saveVersion(host, TARGET, 'update', CARD);
    host.setTime('2026-11-28T10:00:00.000Z');
    const history = openHistory(host, TARGET, null);
    const { entry } = history.save('update', CARD);
    history.close();
    const found = readHistory(host, unheard);
    expect(found).toHaveLength(20);
    expect(found.map((row) => row.entry)).toContain(entry);
  });

  it('is readable by its user only', () => {
    const state = folderWith();
    saveVersion(hostAt(state), TARGET, 'update', CARD);
    const [file = ''] = filesOf(state);
    expect(statSync(join(state, 'formulary/history', file)).mode & 0o777).toBe(0o600);
    expect(statSync(join(state, 'formulary/history')).mode & 0o777).toBe(0o700);
  });

  it('never contains the key, even if the formula on the service does', () => {
    const state = folderWith();
    const host = hostAt(state);
    host.addRedactor((text) => text.replaceAll('key_secret', '[hidden]'));
    saveVersion(host, TARGET, 'update', { ...CARD, code: 'use("key_secret")' });
    const [file = ''] = filesOf(state);
    expect(readFileSync(join(state, 'formulary/history', file), 'utf8')).toContain('use(\\"[hidden]\\")');
    expect(readHistory(host, unheard).map((row) => readVersion(row, host))).toMatchObject([{ hidden: ['code'] }]);
  });

  it('is not marked if nothing was redacted', () => {
    const host = hostAt(folderWith());
    host.addRedactor((text) => text.replaceAll('key_secret', '[hidden]'));
    saveVersion(host, TARGET, 'update', { ...CARD, code: 'show("[hidden]")' });
    expect(readHistory(host, unheard).map((row) => readVersion(row, host).hidden)).toEqual([undefined]);
  });

  it.each(['', 'null', '{"entry":1}', '[]'])('reports a file without a version: %j', (text) => {
    const state = folderWith();
    const host = hostAt(state);
    saveVersion(host, TARGET, 'update', CARD);
    writeFileSync(join(state, 'formulary/history/0123456789.json'), text);
    const heard: string[] = [];
    expect(readHistory(host, (warning) => heard.push(warning))).toHaveLength(1);
    expect(heard.join()).toContain('0123456789.json');
  });

  it.each(['', 'null', '{"created":{}}', '{"created":[null]}'])('has a run whose file is %j', (text) => {
    const state = folderWith();
    const host = hostAt(state);
    const history = openHistory(host, TARGET, null);
    history.save('update', CARD);
    writeFileSync(join(state, `formulary/history/run-${history.run}.json`), text, { mode: 0o600 });
    expect(findRun(history.run, host, unheard)).toMatchObject({ entries: [{ id: CARD.id }], created: [] });
  });

  it('lists a version without reading its formula, and rejects one whose formula is damaged', () => {
    const state = folderWith();
    const host = hostAt(state);
    saveVersion(host, TARGET, 'update', { ...CARD, name: 'n'.repeat(9000) });
    host.setTime('2026-11-28T11:00:00.000Z');
    saveVersion(host, TARGET, 'delete', CARD);
    for (const file of filesOf(state)) {
      const path = join(state, 'formulary/history', file);
      const text = readFileSync(path, 'utf8');
      if (text.includes(CARD.name)) writeFileSync(path, text.slice(0, -20));
    }
    const rows = readHistory(host, unheard);
    expect(rows.map(({ name }) => name.length)).toEqual([CARD.name.length, 9000]);
    const [damaged, whole] = rows.map((row) => () => readVersion(row, host).name.length);
    expect(damaged).toThrow('is not a history entry');
    expect(whole?.()).toBe(9000);
  });

  it('is empty without saved versions, and without a HOME', () => {
    expect(readHistory(hostAt(folderWith()), unheard)).toEqual([]);
    expect(readHistory(withRedaction(testHost({}).host), unheard)).toEqual([]);
  });

  it.each([
    ['there is no home', (): Host => withRedaction(testHost({}).host)],
    ['a file is in the way', (): Host => hostAt(folderWith({ 'formulary/history': 'a file' }))],
  ])('fails, so that nothing is sent, if %s', (_, host) => {
    expect(() => saveVersion(host(), TARGET, 'update', CARD)).toThrow(
      /could not save "Tokenize a card" before the update/,
    );
  });
});
