/** The built tool on a full disk and on a read-only one, where a test can create these disks. */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cardFiles, folderWith, inFolder } from './helpers/folders.ts';

const TOOL = join(import.meta.dirname, '../bin/formulary.js');

/** Runs a shell script that may mount what nobody else sees. */
const inNamespace = (script: string, env: Record<string, string> = {}) =>
  spawnSync('unshare', ['--user', '--map-root-user', '--mount', 'sh', '-c', script], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] ?? '', ...env },
  });

const canMount = inNamespace('mount -t tmpfs tmpfs /mnt').status === 0;

/** Lines of a script that run the tool and print its output and exit code after a name. */
const step = (name: string, words: string, env = '') =>
  `echo "@@${name}"; env ${env} '${process.execPath}' '${TOOL}' ${words} 2>&1; echo "@$?"`;

/** The exit codes and outputs of the steps by name. */
function stepsOf(stdout: string) {
  return Object.fromEntries(
    stdout
      .split('@@')
      .slice(1)
      .map((text) => {
        const [, name = '', messages = '', code] = /^(\w+)\n(.*)@(\d+)\n/s.exec(text) ?? [];
        return [name, { code: Number(code), messages }];
      }),
  );
}

describe.runIf(canMount)('a disk', () => {
  it('that is full loses nothing: each command reports it, and leaves no partial file', () => {
    const disk = folderWith({ 'left/x': '' });
    const work = folderWith({
      ...inFolder('card', cardFiles()),
      ...inFolder('changed', cardFiles({ description: 'changed' })),
    });
    const local = `FORMULARY_LOCAL_DATA='${join(work, 'good.db')}'`;
    const script = [
      `mount -t tmpfs -o size=64k tmpfs '${disk}' && cp -r '${work}/card' '${disk}/card'`,
      `mkdir '${disk}/state' '${disk}/data'; cat /dev/zero > '${disk}/filler' 2>&1`,
      `cd '${work}'`,
      step('data', `formula create card --local`, `FORMULARY_LOCAL_DATA='${disk}/data/x.db'`),
      step('service', `service start --data '${disk}/data/y.db'`),
      step('create', 'formula create card --local', local),
      step('update', 'formula update "Tokenize a card" changed --local', local),
      step('lock', `formula push '${disk}/card' --local --target test --json`, local),
      step('pull', `formula pull --local --dir '${disk}/pulled'`, local),
      step('types', `formula types '${disk}/card'`),
      step('report', `formula validate card --report junit='${disk}/r.xml'`),
      `rm '${disk}/filler'; cd '${disk}'; find . -type f; cat card/code.js`,
    ].join('\n');
    const { stdout } = inNamespace(script, { XDG_STATE_HOME: join(disk, 'state') });
    const steps = stepsOf(stdout);
    expect(Object.fromEntries(Object.entries(steps).map(([name, { code }]) => [name, code]))).toEqual({
      data: 8,
      service: 8,
      create: 0,
      update: 2,
      lock: 0,
      pull: 2,
      types: 2,
      report: 2,
    });
    for (const [name, { messages }] of Object.entries(steps)) expect(messages, name).toMatch(/disk is full|ENOSPC/);
    expect(steps['lock']?.messages).toContain('"outcome": "unchanged"');
    // The two data files are made, and empty.
    expect(
      stdout
        .slice(stdout.lastIndexOf('\n@'))
        .match(/^\.\/.*$/gm)
        ?.sort(),
    ).toEqual(['./card/code.js', './card/manifest.json', './data/x.db', './data/y.db']);
    expect(readdirSync(disk)).toEqual(['left']);
  });

  it('that is read-only as HOME allows reading, and is reported by commands that must write', () => {
    const home = folderWith();
    const work = folderWith(inFolder('card', cardFiles()));
    const local = `FORMULARY_LOCAL_DATA='${join(work, 'good.db')}'`;
    const script = [
      `mount -t tmpfs -o ro tmpfs '${home}'; cd '${work}'`,
      step('list', 'formula list --local'),
      step('data', 'formula create card --local'),
      step('create', 'formula create card --local', local),
      step('delete', 'formula delete "Tokenize a card" --yes --local', local),
      step('login', 'auth login --base-url https://api.example.test --no-check --api-key-file card/code.js'),
    ].join('\n');
    const steps = stepsOf(inNamespace(script, { HOME: home }).stdout);
    expect(Object.fromEntries(Object.entries(steps).map(([name, { code }]) => [name, code]))).toEqual({
      list: 0,
      data: 2,
      create: 0,
      delete: 2,
      login: 2,
    });
    for (const name of ['data', 'create', 'delete', 'login']) expect(steps[name]?.messages).toContain('EROFS');
  });
});
