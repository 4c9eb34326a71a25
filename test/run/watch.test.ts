import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { watchFiles } from '../../src/run/watch.ts';
import { folderWith } from '../helpers/folders.ts';

describe('a watch', () => {
  it('ignores the tool’s own writes, but not the next change by others', async () => {
    const folder = folderWith({ 'tests/a.json': '1', 'code.js': '1' });
    const watch = watchFiles([folder], []);
    try {
      const file = join(folder, 'tests/a.json');
      const told: string[] = [];
      const changed = watch.waitForChange().then(() => told.push('changed'));
      writeFileSync(file, 'own');
      watch.markWritten(file);
      // A change elsewhere is told, and the first one is not told again after it.
      writeFileSync(join(folder, 'code.js'), '2');
      await changed;
      expect(told).toEqual(['changed']);
      mkdirSync(join(folder, 'lib'));
      const next = watch.waitForChange().then(() => told.push('by others'));
      writeFileSync(file, 'own');
      watch.markWritten(file);
      writeFileSync(file, 'theirs');
      await next;
      expect(told).toEqual(['changed', 'by others']);
    } finally {
      watch.close();
    }
  });

  it('reports changes of a file that was added later, in another folder', async () => {
    const root = folderWith({ 'formula/code.ts': '1', 'shared/a.ts': '1', 'shared/b.ts': '1' });
    const watch = watchFiles([join(root, 'formula')], []);
    try {
      watch.add(join(root, 'shared/a.ts'));
      const changed = watch.waitForChange();
      writeFileSync(join(root, 'shared/a.ts'), '2');
      await changed;
    } finally {
      watch.close();
    }
  });

  it('ignores files that a run writes, but not those that it reads', async () => {
    const folder = folderWith({ 'code.js': '1', 'report.xml': '1' });
    const watch = watchFiles([folder], []);
    try {
      const told: string[] = [];
      const first = watch.waitForChange().then(() => told.push('changed'));
      watch.setRunning(true);
      writeFileSync(join(folder, 'report.xml'), '2');
      watch.setRunning(false);
      writeFileSync(join(folder, 'report.xml'), '3');
      watch.setRunning(true);
      await Promise.resolve();
      expect(told).toEqual([]);
      writeFileSync(join(folder, 'code.js'), '2');
      await first;
      expect(told).toEqual(['changed']);
    } finally {
      watch.close();
    }
  });

  it('reports a new file in a new folder', async () => {
    const root = folderWith({ 'formula/code.ts': '1' });
    const watch = watchFiles([join(root, 'formula')], []);
    try {
      watch.add(join(root, 'shared/deep/a.ts'));
      const changed = watch.waitForChange();
      mkdirSync(join(root, 'shared/deep'), { recursive: true });
      writeFileSync(join(root, 'shared/deep/a.ts'), '1');
      await changed;
    } finally {
      watch.close();
    }
  });
});
