/** What is told of a folder that was checked, when there may be thousands: the verdict, and not the texts. */
import type { BundleContext } from '../code/bundle/bundle.ts';
import { type InspectCode, inspectCode } from '../code/code-facts.ts';
import type { FolderRef } from '../folder/find-folders.ts';
import type { FolderContents } from '../folder/read.ts';
import type { FormulaBody } from '../model.ts';
import { checkContents, type FormulaReport, readCleanBody, readContents, shouldBundle } from './check-formula.ts';
import { hashFolder } from './folder-hash.ts';
import { readStatSignature, type StatSignature } from './stat-signature.ts';

export interface FolderReport extends Omit<FormulaReport, 'body' | 'bundle'> {
  /** What a valid folder stands for, where it is wanted (`Judging`). */
  content: CheckedContent | undefined;
  isValid: boolean;
}

/** What is sent of a folder. */
export interface CheckedContent {
  body: FormulaBody;
  /** The print of the folder's files; undefined where other files go into the code too. */
  folderHash: string | undefined;
  /** Tells whether the folder is unchanged; undefined where that cannot be told so. */
  statSignature: StatSignature | undefined;
}

export interface CheckOptions {
  bundleContext: BundleContext;
  /** Whether it will be sent, so that its content is wanted. */
  withContent: boolean;
  /** Reads a folder; as it is on the disk, unless its files are about to change. */
  read?: (place: FolderRef) => FolderContents;
  /** The prints of files in which no rule found anything before; where they are the same, none would find anything now. */
  knownClean?: ReadonlySet<string>;
}

/** A check that has begun: the files of the folder are in memory. */
export interface PendingCheck {
  /** How large they are together. */
  bytes: number;
  report: Promise<FolderReport>;
}

/** Checks one folder; its code may be read elsewhere. Raises usage (2) where it cannot be read. */
export const checkFolder = (folder: FolderRef, options: CheckOptions, inspect?: InspectCode): Promise<FolderReport> =>
  startCheck(folder, options, inspect).report;

/** Reads the files of a folder, and begins to check them. */
export function startCheck(folder: FolderRef, options: CheckOptions, inspect: InspectCode = inspectCode): PendingCheck {
  const startedAt = Date.now();
  try {
    const contents = (options.read ?? readContents)(folder);
    return { bytes: countBytes(contents), report: checkFolderContents(contents, folder, startedAt, options, inspect) };
  } catch (error) {
    return { bytes: 0, report: Promise.reject(error) };
  }
}

const countBytes = ({ manifest, code, icons }: FolderContents): number =>
  [manifest, code, ...icons].reduce((sum, file) => sum + (file.state === 'read' ? file.bytes.length : 0), 0);

async function checkFolderContents(
  contents: FolderContents,
  folder: FolderRef,
  startedAt: number,
  { bundleContext, withContent, knownClean }: CheckOptions,
  inspect: InspectCode,
): Promise<FolderReport> {
  const folderHash = withContent && !shouldBundle(contents) && !contents.isMisnamed ? hashFolder(contents) : undefined;
  const statSignature = folderHash === undefined ? undefined : readStatSignature(folder.path, contents, startedAt);
  if (folderHash !== undefined && knownClean?.has(folderHash))
    return toCleanReport(contents, { folderHash, statSignature });
  const { body, bundle, ...others } = await checkContents(contents, folder, bundleContext, inspect);
  const content = body && withContent ? { body, folderHash, statSignature } : undefined;
  return { ...others, content, isValid: body !== undefined };
}

function toCleanReport(contents: FolderContents, content: Omit<CheckedContent, 'body'>): FolderReport {
  const body = readCleanBody(contents);
  const { folder } = contents;
  return { folder, name: body.name, findings: [], texts: new Map(), content: { body, ...content }, isValid: true };
}

/** The body of a folder whose files are what they were when it was found valid; undefined where they are not. */
export function readBodyIfUnchanged(folder: FolderRef, folderHash: string): FormulaBody | undefined {
  const contents = readContents(folder);
  return hashFolder(contents) === folderHash ? readCleanBody(contents) : undefined;
}
