/** The formulas of the workbench: what the page shows of each folder, as it is on the disk now. */
import { checkFormulaFolder, type FormulaReport } from '../check/check-formula.ts';
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
}

/** Columns of code frames. */
export const FRAME_WIDTH = 100;

/** Lists the folders in the roots. A folder that cannot be read is left out. */
export async function listFormulas(
  roots: readonly string[],
  cwd: string,
  bundleContext: BundleContext,
  previous: readonly WorkbenchFormula[],
): Promise<WorkbenchFormula[]> {
  const refs = roots.flatMap((root) => findFolders(root, cwd));
  const folders = [...new Map(refs.map((ref) => [findRealPath(ref.path) ?? ref.path, ref])).values()];
  const ids = assignFolderIds(folders.map(({ path, typed }) => ({ path, relativePath: typed })));
  const known = new Map(previous.map((formula) => [formula.ref.path, formula.declarations]));
  const listed: WorkbenchFormula[] = [];
  for (const ref of folders) {
    const report = await checkOrSkip(ref, bundleContext);
    if (report) listed.push(toFormula(ref, ids.get(ref.path) ?? ref.typed, report, known.get(ref.path) ?? null));
  }
  return listed;
}

/** The formulas in a folder, by their paths relative to the current one; none where it is gone. */
function findFolders(root: string, cwd: string): FolderRef[] {
  return (
    orUndefined(() => findFormulaFolders([{ typed: toRelative(cwd, root) || '.', path: root, mayBeEmpty: true }])) ?? []
  );
}

function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof CliError) return undefined;
    throw error;
  }
}

async function checkOrSkip(ref: FolderRef, bundleContext: BundleContext): Promise<FormulaReport | undefined> {
  try {
    return await checkFormulaFolder(ref, bundleContext);
  } catch (error) {
    if (error instanceof CliError) return undefined;
    throw error;
  }
}

function toFormula(
  ref: FolderRef,
  id: string,
  { name, findings, texts, body }: FormulaReport,
  lastDeclarations: Declarations | null,
): WorkbenchFormula {
  return {
    ref,
    id,
    folder: ref.typed,
    endpoint: endpointPath(id),
    name,
    isValid: body !== undefined,
    findings: addFrames(findings, texts),
    declarations: body ? pickDeclarations(body) : lastDeclarations,
    tests: listTests(ref.path),
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
    cases.map(({ name, path, args, configuration }) => ({
      file,
      index: Number(path[0] ?? 0),
      name,
      args,
      configuration,
    })),
  );
