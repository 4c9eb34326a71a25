/** The formula that the files of a folder define, as far as they can be read, even if it is invalid. */
import { isUtf8 } from 'node:buffer';
import type { FormulaBody } from '../model.ts';
import { toIconDataUrl } from './icon.ts';
import { type ManifestValue, parseManifest, toManifestBody } from './manifest.ts';
import { CODE_FILES, type FileRead, type FolderContents, isIconName } from './read.ts';

/** An existing file: its name and value; undefined if it cannot be parsed. */
interface ParsedFile<Value> {
  file: string;
  value: Value | undefined;
}

export interface FolderFormula {
  manifest: ParsedFile<ReturnType<typeof toManifestBody>> | undefined;
  /** The complete manifest, with keys that are not sent. */
  manifestValue: object | undefined;
  code: ParsedFile<string> | undefined;
  icon: ParsedFile<string> | undefined;
  /** Every icon file. */
  icons: readonly string[];
}

/** Reads the files. `bundled` is the bundle of code.ts or code.mjs. */
export function parseFolderFormula(contents: FolderContents, bundled?: string): FolderFormula {
  const names = contents.entries.map(({ name }) => name);
  const icons = names.filter(isIconName);
  const codes = CODE_FILES.filter((name) => names.includes(name));
  const value = parseManifestValue(contents.manifest);
  const [icon] = contents.icons;
  return {
    manifest: toParsedFile(contents.manifest, value && toManifestBody(value)),
    manifestValue: value,
    // If there are several, none counts.
    code: toParsedFile(
      { ...contents.code, file: codes.at(-1) ?? 'code.js' },
      codes.length > 1 ? undefined : decodeCode(contents.code, bundled),
    ),
    icon:
      icon && toParsedFile(icon, icons.length === 1 && icon.state === 'read' ? toIconDataUrl(icon.bytes) : undefined),
    icons,
  };
}

const toParsedFile = <Value>({ state, file }: FileRead, value: Value | undefined): ParsedFile<Value> | undefined =>
  state === 'missing' ? undefined : { file, value };

function parseManifestValue(read: FileRead): ManifestValue | undefined {
  const text = decodeLeniently(read);
  if (text === undefined) return undefined;
  const { value, problems, violations } = parseManifest(text);
  const isShaped = violations.every(({ keyword }) => keyword !== 'type' && keyword !== 'required');
  return problems.length === 0 && isShaped ? (value as ManifestValue) : undefined;
}

const decodeCode = (read: FileRead, bundled: string | undefined) =>
  read.file === 'code.js' ? decodeLeniently(read) : bundled;

/** Unlike the rules, accepts text that looks like another kind of file. */
function decodeLeniently(read: FileRead): string | undefined {
  return read.state === 'read' && isUtf8(read.bytes) ? read.bytes.toString('utf8').replace(/^\ufeff/, '') : undefined;
}

/** The complete body of a folder, if all files can be read. */
export function wholeBody({ manifest, code, icon }: FolderFormula): FormulaBody | undefined {
  if (!manifest?.value || code?.value === undefined || (icon && icon.value === undefined)) return undefined;
  return { ...manifest.value, code: code.value, ...(icon?.value !== undefined && { icon: icon.value }) };
}
