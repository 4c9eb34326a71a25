/** Which inputs git ignores: such data is never bundled, since it may be a secret of this computer; such code is noted. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isWithin, toRelative } from '../../files/paths.ts';
import { ancestorsOf } from '../../files/repository.ts';
import type { askIgnored, Ignored, IgnoreQuestion } from '../../git/ignored.ts';
import { isCode } from './file-kind.ts';
import type { Gate } from './gate.ts';
import { type Importer, placeOfImport } from './importer.ts';
import type { Input } from './input.ts';
import type { BundleFault } from './messages.ts';
import type { Surroundings } from './surroundings.ts';

export interface IgnoredInputs {
  /** Asks git of one more file. */
  add(input: Input): void;
  /** What is wrong with the files that were asked of, and those that must not be bundled. To be called once. */
  answer(texts: ReadonlyMap<string, string>): Promise<{ faults: BundleFault[]; files: ReadonlySet<string> }>;
  /** Ends git, if it still runs. */
  close(): void;
}

interface Asked {
  input: Input;
  root: string;
  path: string;
  /** The folders of a linked package that contain the file: what it ignores as a whole is its build output. */
  folders: string[];
}

export function openIgnoredInputs(
  gate: Gate,
  { env = {} }: Partial<Surroundings>,
  ask: typeof askIgnored,
): IgnoredInputs {
  const questions = new Map<string, IgnoreQuestion>();
  const asked: Asked[] = [];
  return {
    add: (input) => {
      const real = gate.realPath(input.path) ?? input.path;
      const above = ancestorsOf(dirname(real)).filter((folder) => isWithin(folder, gate.repository));
      const root = above.find((folder) => existsSync(join(folder, '.git')));
      if (root === undefined || !gate.isRepositoryFile(real)) return;
      const inRoot = (path: string) => toRelative(root, path);
      const linked = gate.linkedPackage(real);
      const folders = linked ? above.filter((folder) => folder !== linked && isWithin(folder, linked)).map(inRoot) : [];
      const question = questions.get(root) ?? ask(root, env);
      questions.set(root, question);
      asked.push({ input, root, path: inRoot(real), folders });
      for (const path of [inRoot(real), ...folders]) question.ask(path);
    },
    answer: async (texts) => {
      const answers = new Map<string, Ignored>();
      for (const [root, question] of questions) answers.set(root, await question.answer());
      const told = asked.map((one) => ({
        file: one.input.file,
        faults: faultsFor(one, answers.get(one.root) ?? 'no git', texts),
      }));
      const refused = told.filter(({ faults }) => faults.some(({ level }) => level === 'error'));
      return { faults: told.flatMap(({ faults }) => faults), files: new Set(refused.map(({ file }) => file)) };
    },
    close: () => {
      for (const question of questions.values()) question.cancel();
    },
  };
}

function faultsFor(
  { input, path, folders }: Asked,
  ignored: Ignored,
  texts: ReadonlyMap<string, string>,
): BundleFault[] {
  const { file, importers } = input;
  if (ignored === 'no git') return [];
  if (isCode(input.path)) {
    const isIgnored = ignored !== 'failed' && ignored.has(path);
    const message = 'git ignores this file, so another clone of the repository may not have it';
    return isIgnored ? [{ file, line: 1, column: 1, level: 'note', message }] : [];
  }
  if (ignored === 'failed')
    return [
      errorAt(importers, texts, `cannot bundle ${file}: git check-ignore failed, so it may be a file that git ignores`),
    ];
  if (!ignored.has(path) || folders.some((folder) => ignored.has(folder))) return [];
  return [
    {
      ...errorAt(importers, texts, `cannot bundle ${file}: git ignores it, and it is not code`),
      fix: 'Commit the file, or read its content from the configuration.',
    },
  ];
}

const errorAt = (importers: readonly Importer[], texts: ReadonlyMap<string, string>, message: string): BundleFault => ({
  ...placeOfImport(importers, texts),
  level: 'error',
  message,
});
