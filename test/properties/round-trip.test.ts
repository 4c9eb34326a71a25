/** Any formula goes from folders to a service and back, over HTTP, and stays what it is, byte for byte. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatManifest, toFormulaFiles } from '../../src/folder/formula-files.ts';
import { changedFields } from '../../src/formula-fields.ts';
import type { Formula } from '../../src/model.ts';
import { anyFormulas, legalCode, legalName } from '../helpers/any-formula.ts';
import { folderWith } from '../helpers/folders.ts';
import { killingService } from '../helpers/killing.ts';
import { runs } from '../helpers/runs.ts';
import { run } from '../helpers/test-host.ts';

/** The files of formulas, by folder and name. */
function filesOf(formulas: readonly Formula[]): Record<string, string | Buffer> {
  const files: Record<string, string | Buffer> = {};
  for (const formula of formulas) {
    const wanted = toFormulaFiles(formula);
    if ('problem' in wanted) throw new Error(wanted.problem);
    files[`${formula.id}/manifest.json`] = formatManifest(wanted.body);
    files[`${formula.id}/code.js`] = wanted.code;
    if (wanted.icon) files[`${formula.id}/${wanted.icon.name}`] = wanted.icon.bytes;
  }
  return files;
}

/** What a tree of folders holds, by name of formula: each file's bytes in hex, the manifest as a value. */
function contentsOf(root: string): Map<string, unknown> {
  const folders = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return new Map(
    folders.map(({ name }) => {
      const folder = join(root, name);
      const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
      const others = readdirSync(folder).filter((file) => file !== 'manifest.json' && !file.startsWith('.'));
      const bytes = others.map((file) => [file, readFileSync(join(folder, file)).toString('hex')]);
      return [manifest.name, { manifest, ...Object.fromEntries(bytes) }];
    }),
  );
}

const distinctlyNamed = anyFormulas(legalCode, legalName).map((formulas) =>
  formulas.filter(({ name }, i) => formulas.findIndex((other) => other.name === name) === i),
);

describe('any formulas', () => {
  it('survive push, list, diff, pull, and push again, byte for byte', async () => {
    await fc.assert(
      fc.asyncProperty(distinctlyNamed, async (formulas) => {
        const { machine } = await killingService();
        const on = (env: Record<string, string>, ...words: string[]) => run(words, { env });
        const [here, elsewhere] = [machine(), machine()];
        const root = folderWith(filesOf(formulas));
        const pushed = await on(here, 'formula', 'push', root, '--json');
        expect(pushed.code, pushed.err).toBe(0);

        const held: Formula[] = JSON.parse((await on(here, 'formula', 'list', '--json')).out);
        expect(held.length).toBe(formulas.length);
        for (const formula of formulas) {
          const found = held.find(({ name }) => name === formula.name);
          expect(found && changedFields(found, formula)).toEqual([]);
          // A byte order mark is left out.
          expect(found?.code).toBe(formula.code?.replace(/^\ufeff/, ''));
        }
        expect((await on(here, 'formula', 'diff', root)).code).toBe(0);

        const pulled = folderWith();
        expect((await on(elsewhere, 'formula', 'pull', '--dir', pulled)).code).toBe(0);
        const contents = contentsOf(pulled);
        expect(contents.size).toBe(formulas.length);
        for (const [name, content] of contentsOf(root)) {
          const mark = Buffer.from('\ufeff').toString('hex');
          const { 'code.js': code, ...others } = content as { 'code.js': string };
          expect(contents.get(name)).toEqual({ ...others, 'code.js': code.startsWith(mark) ? code.slice(6) : code });
        }
        const again = await on(elsewhere, 'formula', 'push', pulled, '--json');
        expect(JSON.parse(again.out).summary).toMatchObject({ total: formulas.length, unchanged: formulas.length });
      }),
      { numRuns: runs(4) },
    );
  });
});
