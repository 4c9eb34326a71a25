/** Adds source locations to the fields that a service rejects. */
import { type FieldError, formatFieldErrors } from '../api/error-body.ts';
import { CliError } from '../errors.ts';
import { toDisplayPath } from '../files/paths.ts';
import { createManifestLookup, parseFieldLocation } from '../folder/field-location.ts';
import type { Folder } from '../folder/find-folders.ts';
import { type FolderContents, readFolder } from '../folder/read.ts';
import { decodeUtf8 } from '../text/decode-utf8.ts';
import type { Position } from '../text/source-position.ts';

/** A field error with its file and position; code and icon have no position. */
interface LocatedFieldError extends FieldError, Partial<Position> {
  file?: string;
}

/** Formats the code frame of a position. */
export type FormatFrame = (text: string, place: Position) => string;

/** Adds the location, such as `manifest.json:12:7`, of each known field to the message and the details. */
export function locateFieldErrors(error: CliError, folder: Folder, formatFrame?: FormatFrame): CliError {
  const { errors } = (error.details ?? {}) as { errors?: readonly FieldError[] };
  const contents = errors && readFolderIfExists(folder.path);
  if (!errors || !contents) return error;
  const manifest = decodeManifest(contents);
  const located = errors.map((found) => locateFieldError(found, contents, manifest));
  const lines = located.flatMap((found) => formatLocatedError(found, folder.displayPath, manifest, formatFrame));
  const message = error.message.replace(formatFieldErrors(errors).join('\n'), () => lines.join('\n'));
  return new CliError(error.outcome as 'failed', message, { ...error, cause: error, details: { errors: located } });
}

function locateFieldError(
  error: FieldError,
  { code, icons }: FolderContents,
  manifest: string | undefined,
): LocatedFieldError {
  const location = parseFieldLocation(error.field);
  if (!location) return error;
  if ('path' in location) {
    return manifest === undefined
      ? error
      : { ...error, file: 'manifest.json', ...createManifestLookup(manifest)(location.path) };
  }
  const file = location.file === 'code' ? code.file : icons[0]?.file;
  return file === undefined ? error : { ...error, file };
}

function formatLocatedError(
  error: LocatedFieldError,
  displayPath: string,
  manifest: string | undefined,
  formatFrame?: FormatFrame,
): string[] {
  const [line = ''] = formatFieldErrors([error]);
  const { file, line: row, column } = error;
  if (file === undefined) return [line];
  const path = toDisplayPath(displayPath, file);
  if (row === undefined || column === undefined) return [`  ${path} ${line.trimStart()}`];
  const frameLines = formatFrame && manifest !== undefined ? [formatFrame(manifest, { line: row, column })] : [];
  return [`  ${path}:${row}:${column} ${line.trimStart()}`, ...frameLines];
}

/** The current contents of the folder; undefined if it was removed. */
function readFolderIfExists(path: string): FolderContents | undefined {
  try {
    return readFolder(path);
  } catch (error) {
    if (error instanceof CliError) return undefined;
    throw error;
  }
}

function decodeManifest({ manifest }: FolderContents): string | undefined {
  const decoded = manifest.state === 'read' ? decodeUtf8(manifest.bytes) : undefined;
  return decoded && 'text' in decoded ? decoded.text : undefined;
}
