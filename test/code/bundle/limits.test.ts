/** How much a bundle may be made of, and for how long esbuild may work. */
import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { MAX_FILE_BYTES } from '../../../src/code/bundle/limits.ts';
import { withTimeLimit } from '../../../src/code/bundle/run-esbuild.ts';
import { computerWith, importing } from '../../helpers/computer.ts';
import { zipOf } from '../../helpers/zip.ts';

describe('a bundle', () => {
  it('contains no file above the limit', async () => {
    const computer = computerWith(importing('./big.txt'), { 'repo/formulas/card/big.txt': '' });
    truncateSync(join(computer.card, 'big.txt'), MAX_FILE_BYTES + 1);
    expect((await computer.bundle()).errors).toEqual(['code.mjs:1:15 cannot read big.txt: it is larger than 16 MiB']);
  });

  it('contains no more than the limit in sum, also if one file is imported many times', async () => {
    const lines = Array.from({ length: 30 }, (_, i) => `import x${i} from './big.txt?${i}';`);
    const code = `${lines.join('\n')}\nexport default async () => ({ raw: [${lines.map((_, i) => `x${i}`)}] });\n`;
    const computer = computerWith(code, { 'repo/formulas/card/big.txt': '' });
    truncateSync(join(computer.card, 'big.txt'), MAX_FILE_BYTES / 4);
    const { errors } = await computer.bundle();
    expect(errors[0]).toContain('imported files must have at most 32 MiB in total');
  });

  it('contains nothing of an archive whose entries are larger than they say', async () => {
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

  it('is not made of settings that extend each other in a circle', async () => {
    const { errors } = await computerWith(importing('./x.mjs'), {
      'repo/tsconfig.json': '{"extends":["./tsconfig.json","./tsconfig.json"]}',
    }).bundle();
    expect(errors).toEqual([expect.stringContaining('must not extend more than 100 files')]);
  });

  it.each([
    ['exports', `{"exports":${'{"node":'.repeat(200_000)}"./x.js"${'}'.repeat(200_000)}}`],
    ['tsconfig', `${'['.repeat(200_000)}`],
  ])('survives settings that are nested deep: %s', async (name, text) => {
    const path = name === 'exports' ? 'repo/node_modules/x/package.json' : 'repo/tsconfig.json';
    const { errors } = await computerWith(importing('x'), { [path]: text }).bundle();
    expect(errors).toHaveLength(1);
  });

  it('is not looked for in side effects for ever', async () => {
    const pattern = `${'**/a*'.repeat(2000)}b`;
    const settings = { sideEffects: Array.from({ length: 100 }, () => pattern), main: `${'a/'.repeat(100)}a.js` };
    const files = {
      'repo/node_modules/x/package.json': JSON.stringify(settings),
      [`repo/node_modules/x/${settings.main}`]: 'module.exports = 1;\n',
    };
    expect((await computerWith(importing('x'), files).bundle()).errors).toEqual([]);
  });
});

describe('the time limit', () => {
  it('ends esbuild, and begins again what else it worked on', async () => {
    const stopped: (() => void)[] = [];
    const esbuild = {
      stop: async () => {
        for (const stop of stopped.splice(0)) stop();
      },
    };
    const hangs = () =>
      new Promise<string>((_, fail) => stopped.push(() => fail(new Error('The service was stopped'))));
    let runs = 0;
    const works = () => (runs++ === 0 ? hangs() : Promise.resolve('done'));
    const other = withTimeLimit(esbuild, works, 60);
    await expect(withTimeLimit(esbuild, hangs, 0.01)).rejects.toThrow('esbuild did not finish within 0.01 seconds');
    expect(await other).toBe('done');
    expect(runs).toBe(2);
  });

  it('leaves other errors as they are', async () => {
    const fails = () => Promise.reject(new Error('broken'));
    await expect(withTimeLimit({ stop: () => delay(0) }, fails)).rejects.toThrow('broken');
  });
});
