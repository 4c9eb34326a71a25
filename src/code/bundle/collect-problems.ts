/** Collects the problems of a bundle: from esbuild's messages, and from the sources. */
import { resolve } from 'node:path';
import type { BuildFailure, Message } from 'esbuild';
import type { FileAccess } from './file-access.ts';
import { listCandidates } from './file-kind.ts';
import { type BundleProblem, ENTRY, toBundleProblem, toSourceLocation } from './messages.ts';
import { findNativeParts } from './native-parts.ts';
import { ALREADY_REPORTED } from './prepare-code.ts';
import { type Sources, toImportKey } from './sources.ts';
import { describeUnresolved, parseUnresolvedSpecifier } from './unresolved.ts';

/** Problems of imports that were not found, by import key; those that are not errors can stay in the bundle. */
export function findUnresolvedProblems(
  errors: readonly Message[],
  file: string,
  sources: Sources,
): Map<string, BundleProblem> {
  const problems = new Map<string, BundleProblem>();
  for (const { key, location } of errors.flatMap(parseUnresolvedImport)) {
    const found = sources.unresolved.get(key);
    const sourceLocation = toSourceLocation(location, file, (name) => sources.findInput(name)?.file);
    if (!found) continue;
    const mapped = sources.settings.mapPath(found.from, found.specifier);
    for (const missing of (mapped ?? []).flatMap(listCandidates)) sources.fileAccess.noteMissing(missing);
    problems.set(key, { ...sourceLocation, ...describeUnresolved({ ...found, isAlias: mapped !== undefined }) });
  }
  return problems;
}

function parseUnresolvedImport(message: Message) {
  const specifier = parseUnresolvedSpecifier(message);
  return specifier === undefined || !message.location
    ? []
    : [{ key: toImportKey(message.location.file, specifier), location: message.location }];
}

/** Sorted by location. */
export async function collectProblems(
  { errors, warnings }: Pick<BuildFailure, 'errors' | 'warnings'>,
  file: string,
  sources: Sources,
  unresolved: ReadonlyMap<string, BundleProblem>,
): Promise<BundleProblem[]> {
  const toProblem = (level: 'error' | 'warning') => (message: Message) =>
    isAboutSource(message, sources)
      ? toBundleProblem(message, file, level, (name) => sources.findInput(name)?.file)
      : toSettingsProblem(message, file, level, sources.fileAccess);
  const isReported = (message: Message) =>
    message.text === ALREADY_REPORTED || parseUnresolvedImport(message).some(({ key }) => unresolved.has(key));
  const { problems: ignoredProblems, files: ignoredFiles } = await sources.ignored.finish(sources.texts);
  const all = [
    ...errors.filter((message) => !isReported(message)).flatMap(toProblem('error')),
    ...unresolved.values(),
    ...sources.unbundled.values(),
    ...warnings.flatMap(toProblem('warning')),
    ...sources.problems,
    ...(hasDecorators(sources) ? sources.settings.findUnsupportedDecorators() : []),
    ...findNativeParts(sources),
    ...findOutsideFiles(file, sources),
  ];
  // A message about a file that must not be bundled may quote its content.
  return [...all.filter((problem) => !ignoredFiles.has(problem.file)), ...ignoredProblems].sort(byLocation);
}

const byLocation = (a: BundleProblem, b: BundleProblem) =>
  a.file === b.file ? a.line - b.line || a.column - b.column : a.file < b.file ? -1 : 1;

const isAboutSource = ({ location }: Message, { findInput }: Sources) =>
  !location || location.file === ENTRY || findInput(location.file) !== undefined;

/** A message about package.json or tsconfig.json; it may quote the file, so not of one from outside. */
function toSettingsProblem(
  message: Message,
  codeFile: string,
  level: 'error' | 'warning',
  { folder, realPath, assertAllowed, toDisplayPath }: FileAccess,
): BundleProblem[] {
  const path = resolve(folder, message.location?.file ?? '');
  const file = toDisplayPath(path);
  try {
    assertAllowed(realPath(path) ?? path);
    return [toBundleProblem(message, file, level, () => file)];
  } catch (error) {
    return level === 'error' ? [{ file: codeFile, line: 1, column: 1, level, message: (error as Error).message }] : [];
  }
}

const MAX_LISTED = 50;

/** A note that lists files from outside the formula's folder. */
function findOutsideFiles(file: string, { byKey }: Sources): BundleProblem[] {
  const files = [...byKey.values()].filter(({ file: one, isPackageFile }) => !isPackageFile && one.startsWith('../'));
  if (files.length === 0) return [];
  const names = [...new Set(files.map(({ file: one }) => one))].sort();
  const more = names.length > MAX_LISTED ? `, and ${names.length - MAX_LISTED} more` : '';
  const message = `the bundle contains files from outside the formula's folder: ${names.slice(0, MAX_LISTED).join(', ')}${more}`;
  return [{ file, line: 1, column: 1, level: 'note', message }];
}

const hasDecorators = ({ byKey, texts }: Sources) =>
  [...byKey.values()].some(
    ({ file, isPackageFile }) => !isPackageFile && /\.[cm]?tsx?$/.test(file) && DECORATOR.test(texts.get(file) ?? ''),
  );

const DECORATOR = /^[ \t]*@[\p{ID_Start}$_]/mu;
