/** What is told of a folder that was checked, when there may be thousands: the verdict, and not the texts. */
import type { Surroundings } from '../code/bundle/bundle.ts';
import { type ReadCode, readCode } from '../code/code-facts.ts';
import type { Place } from '../folder/find-folders.ts';
import type { FolderContents } from '../folder/read.ts';
import type { FormulaBody } from '../model.ts';
import { type Checked, checkContents, contentsOf, isBundled, unchangedBody } from './check-formula.ts';
import { filesPrint } from './folder-hash.ts';
import { type Stamp, stampOf } from './stat-signature.ts';

export interface Judged extends Omit<Checked, 'body' | 'bundle'> {
  /** What a valid folder stands for, where it is wanted (`Judging`). */
  content: Content | undefined;
  isValid: boolean;
}

/** What is sent of a folder. */
export interface Content {
  body: FormulaBody;
  /** The print of the folder's files; undefined where other files go into the code too. */
  files: string | undefined;
  /** Tells whether the folder is unchanged; undefined where that cannot be told so. */
  stamp: Stamp | undefined;
}

export interface Judging {
  surroundings: Surroundings;
  /** Whether it will be sent, so that its content is wanted. */
  withContent: boolean;
  /** The prints of files in which no rule found anything before; where they are the same, none would find anything now. */
  flawless?: ReadonlySet<string>;
}

/** A check that has begun: the files of the folder are in memory. */
export interface Begun {
  /** How large they are together. */
  bytes: number;
  judged: Promise<Judged>;
}

/** Checks one folder; its code may be read elsewhere. Raises usage (2) where it cannot be read. */
export const judge = (place: Place, judging: Judging, read?: ReadCode): Promise<Judged> =>
  beginJudging(place, judging, read).judged;

/** Reads the files of a folder, and begins to check them. */
export function beginJudging(place: Place, judging: Judging, read: ReadCode = readCode): Begun {
  const begunAt = Date.now();
  try {
    const contents = contentsOf(place);
    return { bytes: bytesIn(contents), judged: judgeContents(contents, place, begunAt, judging, read) };
  } catch (error) {
    return { bytes: 0, judged: Promise.reject(error) };
  }
}

const bytesIn = ({ manifest, code, icons }: FolderContents): number =>
  [manifest, code, ...icons].reduce((sum, file) => sum + (file.state === 'read' ? file.bytes.length : 0), 0);

async function judgeContents(
  contents: FolderContents,
  place: Place,
  begunAt: number,
  { surroundings, withContent, flawless }: Judging,
  read: ReadCode,
): Promise<Judged> {
  const files = withContent && !isBundled(contents) && !contents.isMisnamed ? filesPrint(contents) : undefined;
  const stamp = files === undefined ? undefined : stampOf(place.path, contents, begunAt);
  if (files !== undefined && flawless?.has(files)) return flawlessFolder(contents, { files, stamp });
  const { body, bundle, ...others } = await checkContents(contents, place, surroundings, read);
  const content = body && withContent ? { body, files, stamp } : undefined;
  return { ...others, content, isValid: body !== undefined };
}

function flawlessFolder(contents: FolderContents, told: Omit<Content, 'body'>): Judged {
  const body = unchangedBody(contents);
  const { folder } = contents;
  return { folder, name: body.name, findings: [], texts: new Map(), content: { body, ...told }, isValid: true };
}

/** The body of a folder whose files are what they were when it was found valid; undefined where they are not. */
export function bodyIfUnchanged(place: Place, files: string): FormulaBody | undefined {
  const contents = contentsOf(place);
  return filesPrint(contents) === files ? unchangedBody(contents) : undefined;
}
