/** Replaces the dynamic loads of a file by functions that know the files which they may mean. */
import { join } from 'node:path';
import { placesIn } from '../../text/source-position.ts';
import { type DynamicLoad, readLoad } from './dynamic-loads.ts';
import { loaderFor } from './file-kind.ts';
import type { Gate } from './gate.ts';
import type { Glob } from './glob.ts';
import { folderOf, type Input } from './input.ts';
import { MAX_MATCHES, MAX_VISITED } from './limits.ts';
import type { BundleFault } from './messages.ts';
import { Refusal } from './refusal.ts';

export interface Expanded {
  text: string;
  faults: BundleFault[];
}

/** `offsets`: where `require` and `import` of the loads begin. Throws Refusal for one that matches too many files. */
export function expandLoads(text: string, offsets: readonly number[], input: Input, gate: Gate): Expanded {
  const placeOf = placesIn(text, 'code');
  const faults: BundleFault[] = [];
  let [replaced, added] = [text, ''];
  for (const at of [...new Set(offsets)]) {
    const load = readLoad(text, at);
    const files = load.globs?.flatMap((glob) => findMatches(glob, load, input, gate));
    faults.push({ file: input.file, ...placeOf(at), ...wordsFor(load, files, input) });
    if (!load.isUnclear) continue;
    const word = load.isRequire ? 'require' : 'import';
    const name = unusedName(text + added, word.length);
    // A name of the same length keeps all places.
    replaced = replaced.slice(0, at) + name + replaced.slice(at + word.length);
    added += functionFor(name, load, files ?? []);
  }
  return { text: added === '' ? text : `${replaced}\n${added}`, faults };
}

function wordsFor(
  load: DynamicLoad,
  files: readonly string[] | undefined,
  input: Input,
): Omit<BundleFault, 'file' | 'line' | 'column'> {
  const call = load.isRequire ? 'require' : 'import()';
  const level = input.isPackageFile ? 'note' : 'warning';
  const shape = load.globs?.map(({ text }) => text).join(', ');
  if (!files)
    return { level, message: `cannot tell what this ${call} loads: its path is only known when the code runs` };
  return {
    level,
    message: `this ${call} may load ${shape}: the bundle contains ${files.length} matching ${files.length === 1 ? 'file' : 'files'}`,
  };
}

/** A variable that a text does not contain, of a given length. */
function unusedName(text: string, length: number): string {
  for (let i = 0; ; i++) {
    const name = `load${i.toString(36).padStart(length - 4, '$')}`;
    if (!text.includes(name)) return name;
  }
}

function functionFor(name: string, { isRequire, attributes }: DynamicLoad, files: readonly string[]): string {
  const load = (path: string) => (isRequire ? `require(${path})` : `import(${path}${attributes})`);
  const cases = [...new Set(files)]
    .map((path) => JSON.stringify(path))
    .map((path) => `case ${path}: return ${load(path)};`);
  const error = `new Error("Cannot find module '" + path + "' in the bundle")`;
  const end = isRequire ? `throw ${error};` : `return Promise.reject(${error});`;
  return `function ${name}(path) { switch (path) { ${cases.join(' ')} } ${end} }\n`;
}

function findMatches(glob: Glob, { attributes }: DynamicLoad, input: Input, gate: Gate): string[] {
  const type = /\btype\b['"]?\s*:\s*['"](\w+)/.exec(attributes)?.[1];
  const start = input.data ? undefined : gate.realPath(join(folderOf(input, gate), glob.folder));
  if (start === undefined || gate.kindOf(start) !== 'folder') return [];
  const found: string[] = [];
  for (const { path, name } of filesBelow(start, glob, gate)) {
    if (loaderFor(path, type) !== undefined && !/\.d\.[cm]?ts$/.test(path) && glob.matches(name)) found.push(name);
    if (found.length > MAX_MATCHES)
      throw new Refusal(`cannot bundle ${glob.text}: it must match at most ${MAX_MATCHES} files`);
  }
  return found.sort();
}

/** The files in a folder, and in those below it where the unknown part may contain slashes; `name` begins like the import. */
function* filesBelow(start: string, glob: Glob, gate: Gate) {
  const open = [{ path: start, name: glob.folder }];
  let visited = 0;
  for (let folder = open.pop(); folder; folder = open.pop()) {
    for (const entry of gate.list(folder.path)) {
      if (++visited > MAX_VISITED)
        throw new Refusal(
          `cannot bundle ${glob.text}: more than ${MAX_VISITED} files and folders would have to be searched`,
        );
      const [path, name] = [join(folder.path, entry.name), folder.name + entry.name];
      if (isLeftOut(path, entry.name, gate)) continue;
      if (!entry.isFolder) yield { path, name };
      else if (glob.isDeep) open.push({ path, name: `${name}/` });
    }
  }
}

/** What nobody means by a path that is partly unknown. */
const isLeftOut = (path: string, name: string, { folder }: Gate) =>
  name.startsWith('.') ||
  name === 'node_modules' ||
  [join(folder, 'tests'), join(folder, 'manifest.json')].includes(path);
