/** What a folder says of a formula, file by file, also where the rules refuse it. */
import { isUtf8 } from 'node:buffer';
import type { FormulaBody } from '../model.ts';
import { iconDataUrl } from './icon.ts';
import { type ManifestValue, manifestBody, parseManifest } from './manifest.ts';
import { CODE_FILES, type FileRead, type FolderContents, isIconName } from './read.ts';

/** A file that is there: its name, and what it says; undefined for what cannot be read as what it should be. */
export interface SaidBy<Value> {
  file: string;
  value: Value | undefined;
}

export interface Said {
  manifest: SaidBy<ReturnType<typeof manifestBody>> | undefined;
  /** The manifest as it is, with keys that are not sent. */
  manifestValue: object | undefined;
  code: SaidBy<string> | undefined;
  icon: SaidBy<string> | undefined;
  /** Every icon file. */
  icons: readonly string[];
}

/** Reads what the files say. `bundled` is what code.ts or code.mjs was bundled to. */
export function saidBy(contents: FolderContents, bundled?: string): Said {
  const names = contents.entries.map(({ name }) => name);
  const icons = names.filter(isIconName);
  const codes = CODE_FILES.filter((name) => names.includes(name));
  const value = manifestValue(contents.manifest);
  const [icon] = contents.icons;
  return {
    manifest: there(contents.manifest, value && manifestBody(value)),
    manifestValue: value,
    // Where there is more than one, none of them counts.
    code: there(
      { ...contents.code, file: codes.at(-1) ?? 'code.js' },
      codes.length > 1 ? undefined : codeOf(contents.code, bundled),
    ),
    icon: icon && there(icon, icons.length === 1 && icon.state === 'read' ? iconDataUrl(icon.bytes) : undefined),
    icons,
  };
}

const there = <Value>({ state, file }: FileRead, value: Value | undefined): SaidBy<Value> | undefined =>
  state === 'missing' ? undefined : { file, value };

function manifestValue(read: FileRead): ManifestValue | undefined {
  const text = textOf(read);
  if (text === undefined) return undefined;
  const { value, faults, violations } = parseManifest(text);
  const isShaped = violations.every(({ keyword }) => keyword !== 'type' && keyword !== 'required');
  return faults.length === 0 && isShaped ? (value as ManifestValue) : undefined;
}

const codeOf = (read: FileRead, bundled: string | undefined) => (read.file === 'code.js' ? textOf(read) : bundled);

/** Unlike the rules, takes text that looks like another kind of file. */
function textOf(read: FileRead): string | undefined {
  return read.state === 'read' && isUtf8(read.bytes) ? read.bytes.toString('utf8').replace(/^\ufeff/, '') : undefined;
}

/** The whole body that a folder stands for, if all of it can be read. */
export function wholeBody({ manifest, code, icon }: Said): FormulaBody | undefined {
  if (!manifest?.value || code?.value === undefined || (icon && icon.value === undefined)) return undefined;
  return { ...manifest.value, code: code.value, ...(icon?.value !== undefined && { icon: icon.value }) };
}
