/** Checks a folder and keeps only what thousands of folders have memory for. */
import type { BundleContext } from '../code/bundle/bundle.ts';
import { type InspectCode, inspectCode } from '../code/code-facts.ts';
import type { Folder } from '../folder/find-folders.ts';
import type { FolderContents } from '../folder/read.ts';
import type { FormulaBody } from '../model.ts';
import { checkContents, type FormulaReport, readCleanBody, readContents, shouldBundle } from './check-formula.ts';
import { hashFolder } from './folder-hash.ts';

export interface FolderReport extends Omit<FormulaReport, 'body' | 'bundle'> {
  /** The content of a valid folder, if `CheckOptions.withContent` is set. */
  content: CheckedContent | undefined;
  isValid: boolean;
}

/** The content of a valid folder that will be sent. */
export interface CheckedContent {
  body: FormulaBody;
  /** Hash of the folder's files; undefined if other files are part of the code. */
  folderHash: string | undefined;
}

export interface CheckOptions {
  bundleContext: BundleContext;
  /** Whether the report must contain the content that will be sent. */
  withContent: boolean;
  /** Reads a folder; replaced if its files are about to change. */
  read?: (folder: Folder) => FolderContents;
  /** Hashes of folders without findings; folders with these hashes are not checked again. */
  knownClean?: ReadonlySet<string>;
}

/** A running check; the files of the folder are in memory. */
export interface PendingCheck {
  /** Total size of the files. */
  bytes: number;
  report: Promise<FolderReport>;
}

/** Checks one folder; `inspect` may parse its code in another thread. Raises usage (2) if it cannot be read. */
export const checkFolder = (folder: Folder, options: CheckOptions, inspect?: InspectCode): Promise<FolderReport> =>
  startCheck(folder, options, inspect).report;

/** Reads the files of a folder and starts to check them. */
export function startCheck(folder: Folder, options: CheckOptions, inspect: InspectCode = inspectCode): PendingCheck {
  try {
    const contents = (options.read ?? readContents)(folder);
    return { bytes: countBytes(contents), report: checkFolderContents(contents, folder, options, inspect) };
  } catch (error) {
    return { bytes: 0, report: Promise.reject(error) };
  }
}

const countBytes = ({ manifest, code, icons }: FolderContents): number =>
  [manifest, code, ...icons].reduce((sum, file) => sum + (file.state === 'read' ? file.bytes.length : 0), 0);

async function checkFolderContents(
  contents: FolderContents,
  folder: Folder,
  { bundleContext, withContent, knownClean }: CheckOptions,
  inspect: InspectCode,
): Promise<FolderReport> {
  const folderHash = withContent && !shouldBundle(contents) && !contents.isMisnamed ? hashFolder(contents) : undefined;
  if (folderHash !== undefined && knownClean?.has(folderHash)) return toCleanReport(contents, folderHash);
  const { body, bundle, ...others } = await checkContents(contents, folder, bundleContext, inspect);
  const content = body && withContent ? { body, folderHash } : undefined;
  return { ...others, content, isValid: body !== undefined };
}

function toCleanReport(contents: FolderContents, folderHash: string): FolderReport {
  const body = readCleanBody(contents);
  const { folder } = contents;
  return { folder, name: body.name, findings: [], texts: new Map(), content: { body, folderHash }, isValid: true };
}

/** The body of a valid folder; undefined if its files changed since the hash was computed. */
export function readBodyIfUnchanged(folder: Folder, folderHash: string): FormulaBody | undefined {
  const contents = readContents(folder);
  return hashFolder(contents) === folderHash ? readCleanBody(contents) : undefined;
}
