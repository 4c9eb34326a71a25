/** Lists the formulas of the workbench, with findings and tests. */
import { basename } from 'node:path';
import { type CheckResult, readContents, shouldBundle } from '../check/check-folder.ts';
import { checkFolders } from '../check/check-folders.ts';
import { hashFolder } from '../check/clean-cache.ts';
import { limitFindings } from '../check/limit-findings.ts';
import type { BundleContext } from '../code/bundle/bundle.ts';
import { CliError } from '../errors.ts';
import { findRealPath, toRelative } from '../files/paths.ts';
import { type Folder, findFormulaFolders } from '../folder/find-folders.ts';
import type { FolderContents } from '../folder/read.ts';
import type { FormulaBody } from '../model.ts';
import { createFrameFormatter } from '../output/code-frame.ts';
import type { Finding } from '../rules/rule.ts';
import { readTestFiles } from '../run/cases/test-files.ts';
import { groupBy } from '../text/group-by.ts';
import { sha256 } from '../text/hash.ts';
import { pick } from '../text/pick.ts';
import type { ListedDeclarations, ListedFinding, ListedFormula, ListedTest } from './wire.ts';

/** A formula folder and how it is listed. */
export interface WorkbenchFormula extends ListedFormula {
  ref: Folder;
  /** The hash of the manifest, code, and icons. */
  folderHash: string;
  /** Whether the findings also depend on other files. */
  isBundle: boolean;
}

/** The part of a formula that the page gets. */
export function toListedFormula({ ref: _, folderHash: __, isBundle: ___, ...listed }: WorkbenchFormula): ListedFormula {
  return listed;
}

/** Columns of code frames. */
export const FRAME_WIDTH = 100;

export interface ListOptions {
  roots: readonly string[];
  cwd: string;
  bundleContext: BundleContext;
}

type Formulas = readonly WorkbenchFormula[];

/**
 * Lists the folders in the roots. A folder that cannot be read is left out; one that is unchanged is not checked again.
 * Bundles are checked again although their folders are unchanged, unless `areBundlesSame`.
 */
export async function listFormulas(options: ListOptions, previous: Formulas, areBundlesSame: boolean) {
  const refs = options.roots.flatMap((root) => findFolders(root, options.cwd));
  const folders = [...new Map(refs.map((ref) => [findRealPath(ref.path) ?? ref.path, ref])).values()];
  const ids = assignFolderIds(folders);
  const before = new Map(previous.map((formula) => [formula.ref.path, formula]));
  const checked = await checkChanged(folders, options.bundleContext, before, areBundlesSame);
  return folders.flatMap((ref): WorkbenchFormula[] => {
    const found = checked.get(ref.path);
    const id = ids.get(ref.path) ?? ref.displayPath;
    const endpoint = `/formulas/${encodeURIComponent(id)}`;
    return found ? [{ ...found, ref, id, endpoint, folder: ref.displayPath, tests: listTests(ref.path) }] : [];
  });
}

/** An id for each folder, by path, for URLs: its name, or the relative path if several have the same name. */
function assignFolderIds(folders: readonly Folder[]): Map<string, string> {
  const byName = groupBy(folders, ({ path }) => basename(path));
  return new Map(
    [...byName].flatMap(([name, same]) =>
      same.map(({ path, displayPath }) => [path, name !== '' && same.length === 1 ? name : displayPath]),
    ),
  );
}

/** The formula folders in a root; none if it no longer exists. */
const findFolders = (root: string, cwd: string): readonly Folder[] =>
  orUndefined(() =>
    findFormulaFolders([{ displayPath: toRelative(cwd, root) || '.', path: root, mayBeEmpty: true }]),
  ) ?? [];

function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof CliError) return undefined;
    throw error;
  }
}

type Before = ReadonlyMap<string, WorkbenchFormula>;
type Checked = Omit<WorkbenchFormula, 'ref' | 'id' | 'endpoint' | 'folder' | 'tests'>;

/** Checks the folders whose files have changed; the results of readable folders, by path. */
async function checkChanged(folders: Folder[], bundleContext: BundleContext, before: Before, areBundlesSame: boolean) {
  const contents = new Map<string, FolderContents>();
  const checked = new Map<string, Checked>();
  const changed: Folder[] = [];
  for (const ref of folders) {
    const read = orUndefined(() => readContents(ref));
    if (!read) continue;
    const formula = before.get(ref.path);
    const isSame = formula?.folderHash === hashFolder(read) && (areBundlesSame || !formula.isBundle);
    if (isSame) checked.set(ref.path, formula);
    else changed.push(ref);
    contents.set(ref.path, read);
  }
  const read = (ref: Folder) => contents.get(ref.path) ?? readContents(ref);
  let i = 0;
  for await (const result of checkFolders(changed, { bundleContext, read })) {
    const path = changed[i++]?.path ?? '';
    const folder = contents.get(path);
    if (folder) checked.set(path, toChecked(result, folder, before.get(path)));
  }
  return checked;
}

const toChecked = (
  { name, findings, texts, body }: CheckResult,
  contents: FolderContents,
  before: WorkbenchFormula | undefined,
): Checked => ({
  folderHash: hashFolder(contents),
  isBundle: shouldBundle(contents),
  name,
  hash: body ? hashValue(body) : hashFolder(contents),
  valid: body !== undefined,
  findings: addFrames(findings, texts),
  declarations: body ? pickDeclarations(body) : (before?.declarations ?? null),
});

/** A hash of a value that is JSON. */
export const hashValue = (value: object): string => sha256(JSON.stringify(value)).toString('base64url');

const pickDeclarations = (body: FormulaBody): ListedDeclarations => {
  return { description: body.description ?? null, ...pick(body, ['configuration', 'request_parameters']) };
};

function addFrames(findings: readonly Finding[], texts: ReadonlyMap<string, string>): ListedFinding[] {
  const formatters = new Map([...texts].map(([file, text]) => [file, createFrameFormatter(file, text, FRAME_WIDTH)]));
  return limitFindings(findings).map((finding) => {
    const frame = formatters.get(finding.file)?.(finding);
    return { ...finding, ...(frame !== undefined && { frame }) };
  });
}

/** A file that is invalid is listed as one test, which cannot be run. */
const listTests = (folder: string): ListedTest[] =>
  readTestFiles(folder).flatMap(({ file, tests, problems: [problem] }) => {
    if (problem) return [{ file, index: 0, name: `${file}: ${problem.message}`, hash: problem.message }];
    return tests.map((test) => ({ file, index: Number(test.path[0] ?? 0), name: test.name, hash: hashValue(test) }));
  });
