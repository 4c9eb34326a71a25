/** The formulas of the workbench: what the page shows of each folder, as it is on the disk now. */
import { checkContents, readContents, shouldBundle } from '../check/check-formula.ts';
import { hashFolder } from '../check/folder-hash.ts';
import { limitFindings } from '../check/limit-findings.ts';
import type { BundleContext } from '../code/bundle/bundle.ts';
import { CliError } from '../errors.ts';
import { findRealPath, toRelative } from '../files/paths.ts';
import { type FolderRef, findFormulaFolders } from '../folder/find-folders.ts';
import type { FormulaBody } from '../model.ts';
import { createFrameFormatter } from '../output/code-frame.ts';
import type { Finding } from '../rules/rule.ts';
import { readCaseFiles } from '../run/case-files.ts';
import { assignFolderIds, endpointPath } from './folder-ids.ts';
import type { Declarations, ListedFinding, ListedFormula, ListedTest } from './wire.ts';

/** A formula folder and how it is listed. */
export interface WorkbenchFormula extends ListedFormula {
  ref: FolderRef;
  /** Of the files that decide the findings; undefined if others do too, as for a bundle. */
  folderHash: string | undefined;
}

/** What the page gets of a formula. */
export const toListed = ({ ref: _, folderHash: __, ...listed }: WorkbenchFormula): ListedFormula => listed;

/** Columns of code frames. */
export const FRAME_WIDTH = 100;

/** Lists the folders in the roots. A folder that cannot be read is left out; one that is unchanged is not checked again. */
export async function listFormulas(
  roots: readonly string[],
  cwd: string,
  bundleContext: BundleContext,
  previous: readonly WorkbenchFormula[],
): Promise<WorkbenchFormula[]> {
  const refs = roots.flatMap((root) => findFolders(root, cwd));
  const folders = [...new Map(refs.map((ref) => [findRealPath(ref.path) ?? ref.path, ref])).values()];
  const ids = assignFolderIds(folders.map(({ path, typed }) => ({ path, relativePath: typed })));
  const before = new Map(previous.map((formula) => [formula.ref.path, formula]));
  const listed: WorkbenchFormula[] = [];
  for (const ref of folders) {
    const checked = await orUndefined(() => checkUnlessKnown(ref, bundleContext, before.get(ref.path)));
    if (!checked) continue;
    const id = ids.get(ref.path) ?? ref.typed;
    listed.push({ ...checked, ref, id, endpoint: endpointPath(id), folder: ref.typed, tests: listTests(ref.path) });
  }
  return listed;
}

/** The formulas in a folder, by their paths relative to the current one; none if it no longer exists. */
function findFolders(root: string, cwd: string): FolderRef[] {
  try {
    return findFormulaFolders([{ typed: toRelative(cwd, root) || '.', path: root, mayBeEmpty: true }]);
  } catch (error) {
    if (error instanceof CliError) return [];
    throw error;
  }
}

async function orUndefined<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CliError) return undefined;
    throw error;
  }
}

type Checked = Pick<WorkbenchFormula, 'folderHash' | 'name' | 'isValid' | 'findings' | 'declarations'>;

/** Raises usage (2) if the folder cannot be read. */
async function checkUnlessKnown(
  ref: FolderRef,
  bundleContext: BundleContext,
  before: WorkbenchFormula | undefined,
): Promise<Checked> {
  const contents = readContents(ref);
  const folderHash = shouldBundle(contents) || contents.isMisnamed ? undefined : hashFolder(contents);
  if (before && folderHash !== undefined && before.folderHash === folderHash) return before;
  const { name, findings, texts, body } = await checkContents(contents, ref, bundleContext);
  return {
    folderHash,
    name,
    isValid: body !== undefined,
    findings: addFrames(findings, texts),
    declarations: body ? pickDeclarations(body) : (before?.declarations ?? null),
  };
}

const pickDeclarations = ({ description = null, configuration, request_parameters }: FormulaBody): Declarations => ({
  description,
  configuration,
  request_parameters,
});

function addFrames(findings: readonly Finding[], texts: ReadonlyMap<string, string>): ListedFinding[] {
  const formatters = new Map([...texts].map(([file, text]) => [file, createFrameFormatter(file, text, FRAME_WIDTH)]));
  return limitFindings(findings).map((finding) => {
    const frame = formatters.get(finding.file)?.(finding);
    return { ...finding, ...(frame !== undefined && { frame }) };
  });
}

const listTests = (folder: string): ListedTest[] =>
  readCaseFiles(folder).flatMap(({ file, cases }) =>
    cases.map(({ name, path }) => ({ file, index: Number(path[0] ?? 0), name })),
  );
