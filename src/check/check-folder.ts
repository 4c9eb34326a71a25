/** Checks a formula folder with all rules, and creates the request body of a valid one. */
import type { Bundle, BundleContext, BundleResult } from '../code/bundle/bundle.ts';
import { isInPackage } from '../code/bundle/package-name.ts';
import { type InspectCode, inspectCode } from '../code/code-facts.ts';
import type { Folder } from '../folder/find-folders.ts';
import { type FolderFormula, parseFolderFormula } from '../folder/folder-formula.ts';
import { toIconDataUrl } from '../folder/icon.ts';
import { getManifestName, type ManifestValue, parseManifest, toManifestBody } from '../folder/manifest.ts';
import { createMisnamedContents, decodeFile, type FileRead, type FolderContents, readFolder } from '../folder/read.ts';
import type { FormulaBody } from '../model.ts';
import { allRules } from '../rules/all.ts';
import type { Finding, Subject } from '../rules/rule.ts';
import { redactTexts } from '../rules/secrets.ts';

export interface CheckResult {
  folder: string;
  name: string | null;
  /** In file order. */
  findings: readonly Finding[];
  /** The file contents that findings refer to, by file, without secrets. */
  texts: ReadonlyMap<string, string>;
  /** The request body that publishes the folder; undefined if a finding is an error. */
  body: FormulaBody | undefined;
  /** The bundle of code.ts or code.mjs. */
  bundle: Bundle | undefined;
  durationMs: number;
}

/** Checks one formula folder. Raises usage (2) as `readFolder` does. */
export const checkFolder = (folder: Folder, context?: BundleContext): Promise<CheckResult> =>
  checkContents(readContents(folder), folder, context);

/** The contents of a folder, with the name from the command line. Raises usage (2) as `readFolder` does. */
export const readContents = ({ displayPath, path, isMisnamed }: Folder): FolderContents =>
  isMisnamed ? createMisnamedContents(displayPath) : { ...readFolder(path), folder: displayPath };

/** Whether the code must be bundled before it can be checked. */
export const shouldBundle = ({ code }: FolderContents): boolean => code.state === 'read' && code.file !== 'code.js';

/** The formula of a folder, even if it is invalid. Raises usage (2) as `readFolder` does. */
export async function readFolderFormula(path: string, context: BundleContext): Promise<FolderFormula> {
  const contents = readFolder(path);
  if (!shouldBundle(contents)) return parseFolderFormula(contents);
  const { bundleCode } = await import('../code/bundle/bundle.ts');
  return parseFolderFormula(contents, (await bundleCode(path, contents.code.file, context)).bundle?.code);
}

/** `inspect` may parse the code in another thread. */
export async function checkContents(
  contents: FolderContents,
  { path }: Folder,
  context?: BundleContext,
  inspect: InspectCode = inspectCode,
): Promise<CheckResult> {
  if (contents.entries.some(({ isLink }) => isLink)) contents = await hideIgnoredLinks(contents, path, context);
  if (!shouldBundle(contents)) return checkFormula(contents, undefined, inspect);
  const { bundleCode } = await import('../code/bundle/bundle.ts');
  return checkFormula(contents, await bundleCode(path, contents.code.file, context), inspect);
}

/** The contents without those of links to files that git ignores, which may be secret. */
async function hideIgnoredLinks(contents: FolderContents, path: string, context?: BundleContext) {
  const { findIgnoredLinks } = await import('../code/bundle/ignored-inputs.ts');
  const links = contents.entries.flatMap(({ name, isLink }) => (isLink ? [name] : []));
  const ignored = await findIgnoredLinks(path, links, context?.env);
  const hide = (read: FileRead): FileRead =>
    read.state === 'read' && ignored.includes(read.file)
      ? { state: 'unreadable', file: read.file, reason: 'it is a link to a file that git ignores' }
      : read;
  const { manifest, code, icons } = contents;
  return { ...contents, manifest: hide(manifest), code: hide(code), icons: icons.map(hide) };
}

/** The result for a folder that is known to have no findings, and is not bundled. */
export function readCleanFolder(contents: FolderContents): CheckResult {
  const [manifest = '', code = ''] = [contents.manifest, contents.code].map(decodeFile);
  const body = toFormulaBody(JSON.parse(manifest), code, contents);
  const { folder } = contents;
  return { folder, name: body.name, findings: [], texts: new Map(), body, bundle: undefined, durationMs: 0 };
}

/** Runs all rules on the contents of a folder and its bundle, if any. Never throws because of the contents. */
export async function checkFormula(
  contents: FolderContents,
  bundleResult?: BundleResult,
  inspect: InspectCode = inspectCode,
): Promise<CheckResult> {
  const began = performance.now();
  const subject = await createSubject(contents, bundleResult, inspect);
  const bundle = bundleResult?.bundle;
  const findings = allRules
    .flatMap((rule) =>
      rule.check(subject).map(
        ({ message, fix, level = rule.level, ...location }): Finding => ({
          ...(subject.code?.file === location.file && bundle && !rule.usesSourceLocations
            ? (bundle.sourcePosition(location) ?? { file: location.file, line: 1, column: 1 })
            : location),
          level,
          rule: rule.id,
          message: truncateMessage(message),
          ...(fix !== undefined && { fix: truncateMessage(fix) }),
        }),
      ),
    )
    .filter(isRelevant)
    .sort(byFileOrder);
  const isValid = findings.every(({ level }) => level !== 'error');
  return {
    folder: contents.folder,
    name: getManifestName(subject.manifest?.value) ?? null,
    findings,
    texts: selectTexts(subject, findings, bundle),
    // Without its bundle, code.ts or code.mjs has no body.
    body:
      isValid && subject.code
        ? toFormulaBody(subject.manifest?.value as ManifestValue, subject.code.text, contents)
        : undefined,
    bundle,
    durationMs: performance.now() - began,
  };
}

/** A message may quote a name that is megabytes long. */
const MAX_MESSAGE = 1000;

/** Truncates in the middle, because the subject is at the start and the expected value at the end. */
const truncateMessage = (text: string): string =>
  text.length <= MAX_MESSAGE ? text : `${text.slice(0, MAX_MESSAGE - 200)} … ${text.slice(-200)}`;

/** In bundled packages only errors and notes of the bundler count, because much of their code may never run. */
const isRelevant = ({ file, level, rule }: Finding) =>
  level === 'error' || (level === 'note' && rule === 'code-bundle') || !isInPackage(file);

async function createSubject(contents: FolderContents, bundleResult: BundleResult | undefined, inspect: InspectCode) {
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

/** The request body; fields that the folder does not define are omitted. */
function toFormulaBody(manifest: ManifestValue, code: string, { icons: [icon] }: FolderContents): FormulaBody {
  return {
    ...toManifestBody(manifest),
    ...(icon?.state === 'read' && { icon: toIconDataUrl(icon.bytes) }),
    code,
  };
}
