/** Points a refusal of the service at the lines of the folder that it is about. */
import { errorLines, type FieldError } from '../api/error-body.ts';
import { CliError } from '../errors.ts';
import { displayPath } from '../files/paths.ts';
import { fieldPlace, placesIn } from '../folder/field-location.ts';
import { type FolderContents, readFolder } from '../folder/read.ts';
import { decodeText } from '../text/decode-utf8.ts';
import type { Position } from '../text/source-position.ts';

/** A folder as it was typed, and its path. */
export interface SentFolder {
  typed: string;
  path: string;
}

/** A field error with the file and place that it is about; a file that is the field itself has no place. */
export interface PlacedError extends FieldError, Partial<Position> {
  file?: string;
}

/** Draws the place in a text below its line. */
export type Frame = (text: string, place: Position) => string;

/** The error with `manifest.json:12:7` before each field that the folder has, in the message and in the details. */
export function withPlaces(error: CliError, folder: SentFolder, frame?: Frame): CliError {
  const { errors } = (error.details ?? {}) as { errors?: readonly FieldError[] };
  const contents = errors && contentsOf(folder.path);
  if (!errors || !contents) return error;
  const manifest = textOf(contents);
  const placed = errors.map((found) => placedError(found, contents, manifest));
  const lines = placed.flatMap((found) => linesOf(found, folder.typed, manifest, frame));
  const message = error.message.replace(errorLines(errors).join('\n'), () => lines.join('\n'));
  return new CliError(error.outcome as 'failed', message, { ...error, cause: error, details: { errors: placed } });
}

function placedError(error: FieldError, { code, icons }: FolderContents, manifest: string | undefined): PlacedError {
  const place = fieldPlace(error.field);
  if (!place) return error;
  if ('path' in place) {
    return manifest === undefined ? error : { ...error, file: 'manifest.json', ...placesIn(manifest)(place.path) };
  }
  const file = place.file === 'code' ? code.file : icons[0]?.file;
  return file === undefined ? error : { ...error, file };
}

function linesOf(error: PlacedError, typed: string, manifest: string | undefined, frame?: Frame): string[] {
  const [line = ''] = errorLines([error]);
  const { file, line: row, column } = error;
  if (file === undefined) return [line];
  const path = displayPath(typed, file);
  if (row === undefined || column === undefined) return [`  ${path} ${line.trimStart()}`];
  const drawn = frame && manifest !== undefined ? [frame(manifest, { line: row, column })] : [];
  return [`  ${path}:${row}:${column} ${line.trimStart()}`, ...drawn];
}

/** What the folder holds now; undefined where it is gone. */
function contentsOf(path: string): FolderContents | undefined {
  try {
    return readFolder(path);
  } catch (error) {
    if (error instanceof CliError) return undefined;
    throw error;
  }
}

function textOf({ manifest }: FolderContents): string | undefined {
  const decoded = manifest.state === 'read' ? decodeText(manifest.bytes) : undefined;
  return decoded && 'text' in decoded ? decoded.text : undefined;
}
