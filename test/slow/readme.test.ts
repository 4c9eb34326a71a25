/** The commands of the README can be pasted into a shell. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { folderWith } from '../helpers/folders.ts';
import { listening } from '../helpers/loopback.ts';

const ROOT = join(import.meta.dirname, '../..');

/** The lines of the README's shell blocks, except npm's. Comments are not allowed: zsh does not accept them when they are typed. */
const LINES = [...readFileSync(join(ROOT, 'README.md'), 'utf8').matchAll(/```sh\n(.*?)```/gs)]
  .flatMap(([, block = '']) => block.trim().split('\n'))
  .filter((line) => !line.startsWith('npm '));

describe.runIf(process.platform === 'linux' && existsSync('/usr/bin/curl'))('the shell blocks of the README', () => {
  it('run as they are in an empty folder with an empty HOME', { timeout: 30_000 }, async () => {
    const cwd = folderWith();
    const tool = join(cwd, 'formulary');
    writeFileSync(tool, `#!/bin/sh\nexec "${process.execPath}" "${join(ROOT, 'bin/formulary.js')}" "$@"\n`);
    chmodSync(tool, 0o755);
    const server = createServer();
    const [, port = ''] = (await listening(server)).split(':');
    await promisify(server.close.bind(server))();
    const script = LINES.map((line) => (/ diff /.test(line) ? `${line} || [ $? = 10 ]` : line))
      .join('\n')
      .replaceAll('8600', port);
    const { status, stdout, stderr } = spawnSync('bash', ['-ec', script], {
      cwd,
      encoding: 'utf8',
      env: { PATH: `${cwd}:/usr/bin:/bin`, HOME: cwd },
    });
    expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^unchanged\tformulas\/greet/m);
    expect(stdout.match(/^created\tformulas\/greet/gm)).toHaveLength(2);
    expect(LINES.filter((line) => / #|…/.test(line))).toEqual([]);
  });
});
