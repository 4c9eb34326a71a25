import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findNode } from '../../src/run/run-flags.ts';
import { folderWith } from '../helpers/folders.ts';

const CWD = resolve('/work');

const nodeFor = (named: string | undefined, platform: string, folder: string) =>
  findNode(named, { cwd: () => CWD, env: { PATH: folder }, nodePath: join(folder, 'own'), platform });

describe('the Node.js for the code', () => {
  it.each([
    ['linux', 'mine', 'mine'],
    ['win32', 'mine', 'mine.exe'],
    ['win32', 'mine.exe', 'mine.exe'],
  ])('is found on the PATH of %s by its name: %s', (platform, named, file) => {
    const folder = folderWith({ [file]: '' });
    expect(nodeFor(named, platform, folder)).toEqual({ path: join(folder, file), isFallback: false });
  });

  it.each([
    ['linux', './mine'],
    ['win32', './mine'],
    ['win32', 'tools\\mine'],
  ])('is a file on %s, if a path is passed: %s', (platform, named) => {
    expect(nodeFor(named, platform, folderWith({ mine: '' })).path).toBe(resolve(CWD, named));
  });

  it.runIf(process.platform !== 'win32')('has a name with a backslash, if that does not separate folders', () => {
    const folder = folderWith({ 'my\\node': '' });
    expect(nodeFor('my\\node', 'linux', folder).path).toBe(join(folder, 'my\\node'));
  });

  it.each([
    ['linux', 'node16'],
    ['win32', 'node-16.exe'],
  ])('is a Node.js 16 on the PATH of %s, otherwise the own one', (platform, file) => {
    const folder = folderWith({ [file]: '' });
    expect(nodeFor(undefined, platform, folder)).toEqual({ path: join(folder, file), isFallback: false });
    const empty = folderWith();
    expect(nodeFor(undefined, platform, empty)).toEqual({ path: join(empty, 'own'), isFallback: true });
  });
});
