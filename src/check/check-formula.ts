/** Checks one formula folder with all rules, and builds the request body of a valid one. */
import type { Bundle, BundleContext, BundleResult } from '../code/bundle/bundle.ts';
import { isInPackage } from '../code/bundle/package-name.ts';
import { type InspectCode, inspectCode } from '../code/code-facts.ts';
import type { Folder } from '../folder/find-folders.ts';
import { toIconDataUrl } from '../folder/icon.ts';
import { type ManifestValue, parseManifest, toManifestBody } from '../folder/manifest.ts';
import { createMisnamedContents, type FileRead, type FolderContents, readFolder } from '../folder/read.ts';
import type { FormulaBody } from '../model.ts';
import { allRules } from '../rules/all.ts';
import type { Finding, Subject } from '../rules/rule.ts';
import { redactTexts } from '../rules/secrets.ts';
import { decodeUtf8 } from '../text/decode-utf8.ts';
import { truncateMessage } from './limit-findings.ts';

/** A checked folder: all findings in file order, and the body unless one of them is an error. */
export interface FormulaReport {
  folder: string;
  name: string | null;
  findings: readonly Finding[];
  /** The file contents that findings refer to, by file. */
  texts: ReadonlyMap<string, string>;
  body: FormulaBody | undefined;
  /** The bundle of code.ts or code.mjs. */
  bundle: Bundle | undefined;
}

/**
 * Reads and checks one formula folder, whose code is bundled first where it must be. Raises usage (2) as `readFolder`
 * does.
 */
export function checkFormulaFolder(folder: Folder, bundleContext?: BundleContext): Promise<FormulaReport> {
  return checkContents(readContents(folder), folder, bundleContext);
}

/** The contents of a folder, with the name from the command line. Raises usage (2) as `readFolder` does. */
export const readContents = ({ displayPath, path, isMisnamed }: Folder): FolderContents =>
  isMisnamed ? createMisnamedContents(displayPath) : { ...readFolder(path), folder: displayPath };

/** Whether the code must be bundled before it can be checked. */
export const shouldBundle = ({ code }: FolderContents): boolean => code.state === 'read' && code.file !== 'code.js';

/** Checks the contents of a folder that was already read. */
export async function checkContents(
  contents: FolderContents,
  { path }: Folder,
  bundleContext?: BundleContext,
  inspect: InspectCode = inspectCode,
): Promise<FormulaReport> {
  if (!shouldBundle(contents)) return checkFormula(contents, undefined, inspect);
  const { bundleCode } = await import('../code/bundle/bundle.ts');
  return checkFormula(contents, await bundleCode(path, contents.code.file, bundleContext), inspect);
}

/** The body of an unchanged folder that was valid and is not bundled. */
export function readCleanBody(contents: FolderContents): FormulaBody {
  const [manifest = '', code = ''] = [contents.manifest, contents.code].map(decodeFile);
  return toFormulaBody(JSON.parse(manifest), code, contents);
}

/** Runs all rules on the contents of a folder and its bundle, if any. Never throws because of the contents. */
export async function checkFormula(
  contents: FolderContents,
  bundleResult?: BundleResult,
  inspect: InspectCode = inspectCode,
): Promise<FormulaReport> {
  const subject = await createSubject(contents, bundleResult, inspect);
  const bundle = bundleResult?.bundle;
  const findings = allRules
    .flatMap((rule) =>
      rule.check(subject).map(({ file, position, message, fix, level = rule.level }): Finding => {
        const location = { file, ...position };
        return {
          ...(subject.code?.file === file && bundle && !rule.usesSourceLocations
            ? toSourceLocation(location, bundle)
            : location),
          level,
          rule: rule.id,
          message: truncateMessage(message),
          ...(fix !== undefined && { fix: truncateMessage(fix) }),
        };
      }),
    )
    .filter(isRelevant)
    .sort(byFileOrder);
  const isValid = findings.every(({ level }) => level !== 'error');
  return {
    folder: contents.folder,
    name: getName(subject),
    findings,
    texts: selectTexts(subject, findings, bundle),
    // Without its bundle, code.ts or code.mjs has no body.
    body:
      isValid && subject.code
        ? toFormulaBody(subject.manifest?.value as ManifestValue, subject.code.text, contents)
        : undefined,
    bundle,
  };
}

/** In bundled packages only errors and notes of the bundler count, because much of their code may never run. */
const isRelevant = ({ file, level, rule }: Finding) =>
  level === 'error' || (level === 'note' && rule === 'code-bundle') || !isInPackage(file);

/** Maps a finding in a bundle to its place in the sources. */
const toSourceLocation = (location: { file: string; line: number; column: number }, bundle: Bundle) =>
  bundle.sourcePosition(location) ?? { file: location.file, line: 1, column: 1 };

async function createSubject(
  contents: FolderContents,
  bundleResult: BundleResult | undefined,
  inspect: InspectCode,
): Promise<Subject> {
  const { file } = contents.code;
  const text = file === 'code.js' ? decodeFile(contents.code) : bundleResult?.bundle?.code;
  // First, since another thread may work on it at the same time.
  const facts = text === undefined ? undefined : inspect(text);
  const manifest = decodeFile(contents.manifest);
  return {
    contents,
    manifest: manifest === undefined ? undefined : parseManifest(manifest),
    code: text === undefined || !facts ? undefined : { file, text, facts: await facts },
    sources: bundleResult?.bundle?.sources,
    nodeRanges: bundleResult?.bundle?.nodeRanges ?? new Map(),
    bundleProblems: bundleResult?.problems ?? [],
  };
}

function decodeFile(read: FileRead): string | undefined {
  const decoded = read.state === 'read' ? decodeUtf8(read.bytes) : undefined;
  return decoded && 'text' in decoded ? decoded.text : undefined;
}

/** The texts are printed with findings, so secrets in them are blanked out. */
function selectTexts(subject: Subject, findings: readonly Finding[], bundle: Bundle | undefined): Map<string, string> {
  if (findings.length === 0) return new Map();
  const referencedFiles = new Set(findings.map(({ file }) => file));
  return new Map([...redactTexts(subject, bundle)].filter(([file]) => referencedFiles.has(file)));
}

const FILE_ORDER = ['manifest.json', 'code.js', 'code.mjs', 'code.ts'];

function byFileOrder(a: Finding, b: Finding): number {
  const rank = ({ file }: Finding) => (FILE_ORDER.includes(file) ? FILE_ORDER.indexOf(file) : FILE_ORDER.length);
  return rank(a) - rank(b) || a.line - b.line || a.column - b.column;
}

function getName({ manifest }: Subject): string | null {
  const name = (manifest?.value as Partial<ManifestValue> | null | undefined)?.name;
  return typeof name === 'string' ? name : null;
}

/** The request body; fields that the folder does not define are omitted. */
function toFormulaBody(manifest: ManifestValue, code: string, { icons: [icon] }: FolderContents): FormulaBody {
  return {
    ...toManifestBody(manifest),
    ...(icon?.state === 'read' && { icon: toIconDataUrl(icon.bytes) }),
    code,
  };
}
