/** Holds one formula against all rules; and gives, of a valid one, the body that is sent. */
import type { Bundle, Bundled, Surroundings } from '../code/bundle/bundle.ts';
import { type ReadCode, readCode } from '../code/code-facts.ts';
import type { Place } from '../folder/find-folders.ts';
import { iconDataUrl } from '../folder/icon.ts';
import { type ManifestValue, manifestBody, parseManifest } from '../folder/manifest.ts';
import { type FileRead, type FolderContents, misnamedFolder, readFolder } from '../folder/read.ts';
import type { FormulaBody } from '../model.ts';
import { allRules } from '../rules/all.ts';
import type { Finding, Subject } from '../rules/rule.ts';
import { openTexts } from '../rules/secrets.ts';
import { decodeText } from '../text/decode-utf8.ts';
import { shorten } from './limit-findings.ts';

/** A checked folder: all findings in file order, and the body unless one of them is an error. */
export interface Checked {
  folder: string;
  name: string | null;
  findings: readonly Finding[];
  /** The texts that findings point into, by file. */
  texts: ReadonlyMap<string, string>;
  body: FormulaBody | undefined;
  /** What the code was bundled to, where it is code.ts or code.mjs. */
  bundle: Bundle | undefined;
}

/**
 * Reads and checks one formula folder, whose code is bundled first where it must be. Raises usage (2) as `readFolder`
 * does.
 */
export function checkFolder(place: Place, surroundings?: Surroundings): Promise<Checked> {
  return checkContents(contentsOf(place), place, surroundings);
}

/** What a folder holds, under the name that was typed. Raises usage (2) as `readFolder` does. */
export const contentsOf = ({ typed, path, isMisnamed }: Place): FolderContents =>
  isMisnamed ? misnamedFolder(typed) : { ...readFolder(path), folder: typed };

/** True where the code has to be bundled before it can be checked. */
export const isBundled = ({ code }: FolderContents): boolean => code.state === 'read' && code.file !== 'code.js';

/** The same for a folder that was read already. */
export async function checkContents(
  contents: FolderContents,
  { path }: Place,
  surroundings?: Surroundings,
  read: ReadCode = readCode,
): Promise<Checked> {
  if (!isBundled(contents)) return checkFormula(contents, undefined, read);
  const { bundleCode } = await import('../code/bundle/bundle.ts');
  return checkFormula(contents, await bundleCode(path, contents.code.file, surroundings), read);
}

/** The body of a folder that was found valid, not bundled, and is unchanged since. */
export function unchangedBody(contents: FolderContents): FormulaBody {
  const [manifest = '', code = ''] = [contents.manifest, contents.code].map(textOf);
  return bodyOf(JSON.parse(manifest), code, contents);
}

/** Runs all rules over what was read of a folder; code that must be bundled comes bundled. Never throws on what the folder holds. */
export async function checkFormula(
  contents: FolderContents,
  bundled?: Bundled,
  read: ReadCode = readCode,
): Promise<Checked> {
  const subject = await subjectOf(contents, bundled, read);
  const bundle = bundled?.bundle;
  const findings = allRules
    .flatMap((rule) =>
      rule.check(subject).map(({ file, position, message, fix, level = rule.level }): Finding => {
        const place = { file, ...position };
        return {
          ...(subject.code?.file === file && bundle && !rule.isInSources ? originalOf(place, bundle) : place),
          level,
          rule: rule.id,
          message: shorten(message),
          ...(fix !== undefined && { fix: shorten(fix) }),
        };
      }),
    )
    .filter(isOurs)
    .sort(inFileOrder);
  const isValid = findings.every(({ level }) => level !== 'error');
  return {
    folder: contents.folder,
    name: nameOf(subject),
    findings,
    texts: textsOf(subject, findings, bundle),
    // Code that nobody bundled is none, whatever the rules say.
    body:
      isValid && subject.code
        ? bodyOf(subject.manifest?.value as ManifestValue, subject.code.text, contents)
        : undefined,
    bundle,
  };
}

/** Of a package that is bundled only errors count, and what the bundler notes: much of it may never run. */
const isOurs = ({ file, level, rule }: Finding) =>
  level === 'error' || (level === 'note' && rule === 'code-bundle') || !/(^|\/)node_modules\//.test(file);

/** What the rules find in a bundle is shown where it comes from. */
const originalOf = (place: { file: string; line: number; column: number }, bundle: Bundle) =>
  bundle.originalPlace(place) ?? { file: place.file, line: 1, column: 1 };

async function subjectOf(contents: FolderContents, bundled: Bundled | undefined, read: ReadCode): Promise<Subject> {
  const { file } = contents.code;
  const text = file === 'code.js' ? textOf(contents.code) : bundled?.bundle?.code;
  // First, since another thread may do it.
  const facts = text === undefined ? undefined : read(text);
  const manifest = textOf(contents.manifest);
  return {
    contents,
    manifest: manifest === undefined ? undefined : parseManifest(manifest),
    code: text === undefined || !facts ? undefined : { file, text, facts: await facts },
    sources: bundled?.bundle?.sources,
    nodeRanges: bundled?.bundle?.nodeRanges ?? new Map(),
    bundleFaults: bundled?.faults ?? [],
  };
}

function textOf(read: FileRead): string | undefined {
  const decoded = read.state === 'read' ? decodeText(read.bytes) : undefined;
  return decoded && 'text' in decoded ? decoded.text : undefined;
}

/** With secrets blanked out: texts are shown beside findings. */
function textsOf(subject: Subject, findings: readonly Finding[], bundle: Bundle | undefined): Map<string, string> {
  if (findings.length === 0) return new Map();
  const pointedAt = new Set(findings.map(({ file }) => file));
  return new Map([...openTexts(subject, bundle)].filter(([file]) => pointedAt.has(file)));
}

const FILE_ORDER = ['manifest.json', 'code.js', 'code.mjs', 'code.ts'];

function inFileOrder(a: Finding, b: Finding): number {
  const rank = ({ file }: Finding) => (FILE_ORDER.includes(file) ? FILE_ORDER.indexOf(file) : FILE_ORDER.length);
  return rank(a) - rank(b) || a.line - b.line || a.column - b.column;
}

function nameOf({ manifest }: Subject): string | null {
  const name = (manifest?.value as Partial<ManifestValue> | null | undefined)?.name;
  return typeof name === 'string' ? name : null;
}

/** What is sent; what the folder does not say is left out. */
function bodyOf(manifest: ManifestValue, code: string, { icons: [icon] }: FolderContents): FormulaBody {
  return {
    ...manifestBody(manifest),
    ...(icon?.state === 'read' && { icon: iconDataUrl(icon.bytes) }),
    code,
  };
}
