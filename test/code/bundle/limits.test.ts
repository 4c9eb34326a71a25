import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { limitCommand } from '../../../src/code/bundle/limited-spawn.ts';
import { MAX_FILE_BYTES } from '../../../src/code/bundle/limits.ts';
import { withBuildLimits } from '../../../src/code/bundle/run-esbuild.ts';
import { computerWith, importing } from '../../helpers/computer.ts';
import { zipOf } from '../../helpers/zip.ts';

describe('the process of esbuild', () => {
  it('has its limits from a shell, which Windows does not have', () => {
    expect(limitCommand('esbuild', ['--ping'], 'linux')).toEqual([
      '/bin/sh',
      ['-c', expect.stringContaining('ulimit'), 'esbuild', '--ping'],
    ]);
    expect(limitCommand('esbuild.exe', ['--ping'], 'win32')).toEqual(['esbuild.exe', ['--ping']]);
  });
});

describe('a bundle', () => {
  it('contains no file above the limit', async () => {
    const computer = computerWith(importing('./big.txt'), { 'repo/formulas/card/big.txt': '' });
    truncateSync(join(computer.card, 'big.txt'), MAX_FILE_BYTES + 1);
    expect((await computer.bundle()).errors).toEqual([
      'code.mjs:1:15 cannot read big.txt: it is larger than 8 MiB (EFBIG)',
    ]);
  });

  it('contains no more than the total limit, even if one file is imported many times', async () => {
    const lines = Array.from({ length: 30 }, (_, i) => `import x${i} from './big.txt?${i}';`);
    const code = `${lines.join('\n')}\nexport default async () => ({ raw: [${lines.map((_, i) => `x${i}`)}] });\n`;
    const computer = computerWith(code, { 'repo/formulas/card/big.txt': '' });
    truncateSync(join(computer.card, 'big.txt'), MAX_FILE_BYTES / 4);
    const { errors } = await computer.bundle();
    expect(errors[0]).toContain('imported files must have at most 10 MiB in total');
  });

  it('contains nothing of an archive whose entries are larger than declared', async () => {
    const lie = zipOf({
      'node_modules/other/package.json': '{}',
      'node_modules/other/index.js': `module.exports = 1;${' '.repeat(10_000_000)}`,
    });
    // The size of the entry, in its header and in the directory.
    const size = Buffer.alloc(4);
    size.writeUInt32LE(10_000_019);
    for (let at = lie.indexOf(size); at >= 0; at = lie.indexOf(size, at)) lie.writeUInt32LE(100, at);
    const table = {
      packageRegistryData: [
        [null, [[null, { packageLocation: './', packageDependencies: [['other', '1']] }]]],
        ['other', [['1', { packageLocation: './o.zip/node_modules/other/', packageDependencies: [] }]]],
      ],
    };
    const files = { 'repo/.pnp.data.json': JSON.stringify(table), 'repo/o.zip': lie };
    const { errors } = await computerWith(importing('other'), files).bundle();
    expect(errors).toEqual([expect.stringContaining('cannot read ../../o.zip/node_modules/other/index.js')]);
  });

  it('is not created with settings that extend each other in a cycle', async () => {
    const { errors } = await computerWith(importing('./x.mjs'), {
      'repo/tsconfig.json': '{"extends":["./tsconfig.json","./tsconfig.json"]}',
    }).bundle();
    expect(errors).toEqual([expect.stringContaining('must not extend more than 100 files')]);
  });

  it.each([
    ['exports', 1, `{"exports":${'{"node":'.repeat(200_000)}"./x.js"${'}'.repeat(200_000)}}`],
    ['tsconfig', 2, `${'['.repeat(200_000)}`],
  ])('accepts deeply nested settings: %s', async (name, count, text) => {
    const path = name === 'exports' ? 'repo/node_modules/x/package.json' : 'repo/tsconfig.json';
    const { errors } = await computerWith(importing('x'), { [path]: text }).bundle();
    expect(errors).toHaveLength(count);
  });

  it('does not search side effects forever', async () => {
    const pattern = `${'**/a*'.repeat(2000)}b`;
    const settings = { sideEffects: Array.from({ length: 100 }, () => pattern), main: `${'a/'.repeat(100)}a.js` };
    const files = {
      'repo/node_modules/x/package.json': JSON.stringify(settings),
      [`repo/node_modules/x/${settings.main}`]: 'module.exports = 1;\n',
    };
    expect((await computerWith(importing('x'), files).bundle()).errors).toEqual([]);
  });
});

describe('the limits of esbuild', () => {
  it('are reported for the code that exceeded them only', async () => {
    let isDead = false;
    const lost: (() => void)[] = [];
    const esbuild = {
      transform: async () => (isDead ? Promise.reject(new Error('The service is no longer running')) : undefined),
      stop: async () => {
        isDead = false;
      },
    };
    const hostile = async () => {
      isDead = true;
      for (const lose of lost.splice(0)) lose();
      throw new Error('The service was stopped');
    };
    let runs = 0;
    const innocent = () =>
      runs++ > 0
        ? Promise.resolve('done')
        : new Promise<string>((_, fail) => lost.push(() => fail(new Error('The service was stopped'))));
    const other = withBuildLimits(esbuild, innocent);
    await expect(withBuildLimits(esbuild, hostile)).rejects.toThrow('esbuild needs more than 640 MiB');
    expect(await other).toBe('done');
  });

  it('stop it after the time limit, and restart its other builds', async () => {
    let stops = 0;
    const esbuild = { transform: async () => undefined, stop: async () => void stops++ };
    // When it is stopped, esbuild settles none of its promises.
    const hangs = () => new Promise<string>(() => undefined);
    let runs = 0;
    const other = withBuildLimits(esbuild, () => (runs++ === 0 ? hangs() : Promise.resolve('done')));
    await expect(withBuildLimits(esbuild, hangs, 0.01)).rejects.toThrow('esbuild did not finish within 0.01 seconds');
    expect(await other).toBe('done');
    expect({ runs, stops }).toEqual({ runs: 2, stops: 1 });
  });

  it('leave the same time to all other builds together after one has used up its own', async () => {
    const esbuild = { transform: async () => undefined, stop: async () => undefined };
    const hangs = () => new Promise<string>(() => undefined);
    const messages: string[] = [];
    for (let i = 0; i < 4; i++)
      await withBuildLimits(esbuild, hangs, 0.05).catch(({ message }) => messages.push(message));
    expect(messages.map((message) => message.split(' within ')[1])).toEqual([
      '0.05 seconds',
      ...Array(3).fill('the 0.05 seconds that are left for all folders'),
    ]);
  });

  it('allow only some builds at once, so that each has enough time', async () => {
    const esbuild = { transform: async () => undefined, stop: async () => undefined };
    let [running, most] = [0, 0];
    const work = async () => {
      most = Math.max(most, ++running);
      await delay(0);
      running--;
    };
    await Promise.all(Array.from({ length: 30 }, () => withBuildLimits(esbuild, work)));
    expect({ running, most }).toEqual({ running: 0, most: 8 });
  });

  it('do not change other errors', async () => {
    const fails = () => Promise.reject(new Error('broken'));
    const esbuild = { transform: async () => undefined, stop: () => delay(0) };
    await expect(withBuildLimits(esbuild, fails)).rejects.toThrow('broken');
  });
});
