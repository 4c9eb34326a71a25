/** Adds source locations to the fields that a service rejects. */
import { type FieldError, formatFieldErrors } from '../api/error-body.ts';
import { CliError } from '../errors.ts';
import { toDisplayPath } from '../files/paths.ts';
import type { Folder } from '../folder/find-folders.ts';
import { decodeFile, type FolderContents, readFolder } from '../folder/read.ts';
import { MANIFEST_FIELDS } from '../formula-fields.ts';
import { type JsonPath, parseJsonWithPositions } from '../text/json-with-positions.ts';
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
  const manifest = decodeFile(contents.manifest);
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
      : { ...error, file: 'manifest.json', ...parseJsonWithPositions(manifest).locate(location.path) };
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

const FILE_FIELDS = ['code', 'icon'] as const;

/** The path of a field in the manifest, or its file. */
type FieldLocation = { path: JsonPath } | { file: (typeof FILE_FIELDS)[number] };

/**
 * Reads `request_parameters[0].type`, `RequestParameters.0.Type`, `$.name`, `/configuration/0/type`, `body.name` and
 * the like. Undefined for a field that no folder has.
 */
export function parseFieldLocation(field: string): FieldLocation | undefined {
  const steps = field
    .split(/[./[\]"'#$\s]+/)
    .filter((step) => step !== '')
    .map((step) => (/^\d{1,6}$/.test(step) ? Number(step) : toSnakeCase(step)));
  const file = FILE_FIELDS.find((name) => steps[0] === name);
  if (file) return { file };
  // Some services prefix the name with the body or the formula.
  const start = steps.findIndex((step, i) => i < 2 && typeof step === 'string' && MANIFEST_FIELDS.includes(step));
  return start < 0 ? undefined : { path: steps.slice(start) };
}

const toSnakeCase = (step: string) => step.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
