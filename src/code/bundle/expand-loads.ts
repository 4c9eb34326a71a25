/** Replaces dynamic loads by calls of functions that load the matching files. */
import { dirname, join } from 'node:path';
import { createPositionLookup } from '../../text/source-position.ts';
import { type DynamicLoad, type Glob, parseDynamicLoad } from './dynamic-loads.ts';
import type { FileAccess } from './file-access.ts';
import { chooseLoader } from './file-kind.ts';
import type { Input } from './input.ts';
import { MAX_MATCHES, MAX_VISITED } from './limits.ts';
import { BundleError, type BundleProblem } from './messages.ts';

export interface ExpandedCode {
  text: string;
  problems: BundleProblem[];
}

/** `offsets`: those of `require` and `import`. Throws BundleError for a load that matches too many files. */
export function expandLoads(
  text: string,
  offsets: readonly number[],
  input: Input,
  fileAccess: FileAccess,
): ExpandedCode {
  const locate = createPositionLookup(text, 'code');
  const problems: BundleProblem[] = [];
  let [replaced, added] = [text, ''];
  for (const at of [...new Set(offsets)]) {
    const load = parseDynamicLoad(text, at);
    const files = load.globs?.flatMap((glob) => findMatches(glob, load, input, fileAccess));
    problems.push({ file: input.file, ...locate(at), ...describeLoad(load, files, input) });
    if (!load.isAmbiguous) continue;
    const keyword = load.isRequire ? 'require' : 'import';
    const name = createUnusedName(text + added, keyword.length);
    // A name of the same length keeps all positions.
    replaced = replaced.slice(0, at) + name + replaced.slice(at + keyword.length);
    added += generateLoader(name, load, files ?? []);
  }
  return { text: added === '' ? text : `${replaced}\n${added}`, problems };
}

function describeLoad(
  load: DynamicLoad,
  files: readonly string[] | undefined,
  input: Input,
): Omit<BundleProblem, 'file' | 'line' | 'column'> {
  const call = load.isRequire ? 'require' : 'import()';
  const level = input.isPackageFile ? 'note' : 'warning';
  const shape = load.globs?.map(({ pattern }) => pattern).join(', ');
  if (!files)
    return { level, message: `cannot tell what this ${call} loads: its path is only known when the code runs` };
  return {
    level,
    message: `this ${call} may load ${shape}: the bundle contains ${files.length} matching ${files.length === 1 ? 'file' : 'files'}`,
  };
}

/** A name of this length that the text does not contain. */
function createUnusedName(text: string, length: number): string {
  for (let i = 0; ; i++) {
    const name = `load${i.toString(36).padStart(length - 4, '$')}`;
    if (!text.includes(name)) return name;
  }
}

function generateLoader(name: string, { isRequire, attributes }: DynamicLoad, files: readonly string[]): string {
  const load = (path: string) => (isRequire ? `require(${path})` : `import(${path}${attributes})`);
  const cases = [...new Set(files)]
    .map((path) => JSON.stringify(path))
    .map((path) => `case ${path}: return ${load(path)};`);
  const error = `new Error("Cannot find module '" + path + "' in the bundle")`;
  const end = isRequire ? `throw ${error};` : `return Promise.reject(${error});`;
  return `function ${name}(path) { switch (path) { ${cases.join(' ')} } ${end} }\n`;
}

function findMatches(glob: Glob, { attributes }: DynamicLoad, input: Input, fileAccess: FileAccess): string[] {
  const type = /\btype\b['"]?\s*:\s*['"](\w+)/.exec(attributes)?.[1];
  const path = join(dirname(input.path), glob.folder);
  const start = fileAccess.realPath(path) ?? join(path);
  const found: string[] = [];
  for (const { path, name } of walkFiles(start, glob, fileAccess)) {
    if (chooseLoader(path, type) !== undefined && !/\.d\.[cm]?ts$/.test(path) && glob.matches(name)) found.push(name);
    if (found.length > MAX_MATCHES)
      throw new BundleError(`cannot bundle ${glob.pattern}: it must match at most ${MAX_MATCHES} files`);
  }
  return found.sort();
}

/** The files of a folder, recursively if the glob is deep. `name` is the path as the import writes it. */
function* walkFiles(start: string, glob: Glob, fileAccess: FileAccess) {
  const worklist = [{ path: start, name: glob.folder }];
  let visited = 0;
  for (let folder = worklist.pop(); folder; folder = worklist.pop()) {
    for (const entry of fileAccess.list(folder.path)) {
      if (++visited > MAX_VISITED)
        throw new BundleError(
          `cannot bundle ${glob.pattern}: more than ${MAX_VISITED} files and folders would have to be searched`,
        );
      const [path, name] = [join(folder.path, entry.name), folder.name + entry.name];
      if (isExcluded(path, entry.name, fileAccess)) continue;
      if (!entry.isFolder) yield { path, name };
      else if (glob.isDeep) worklist.push({ path, name: `${name}/` });
    }
  }
}

/** Files that a partly unknown path never means. */
const isExcluded = (path: string, name: string, { folder }: FileAccess) =>
  name.startsWith('.') ||
  name === 'node_modules' ||
  [join(folder, 'tests'), join(folder, 'manifest.json')].includes(path);
