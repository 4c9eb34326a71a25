/** Collects the problems of a bundle: from esbuild's messages, and from the sources. */
import type { BuildFailure, Message } from 'esbuild';
import { type BundleProblem, toBundleProblem, toSourceLocation } from './messages.ts';
import { ALREADY_REPORTED } from './prepare-code.ts';
import { findMissingBases, findOutsideFiles, findUnsupportedDecorators } from './source-problems.ts';
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
    const sourceLocation = toSourceLocation(location, file, (name) => sources.byKey.get(name)?.file);
    if (found) problems.set(key, { ...sourceLocation, ...describeUnresolved(found) });
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
    toBundleProblem(message, file, level, (name) => sources.byKey.get(name)?.file);
  const isReported = (message: Message) =>
    message.text === ALREADY_REPORTED || parseUnresolvedImport(message).some(({ key }) => unresolved.has(key));
  const { problems: ignoredProblems, files: ignoredFiles } = await sources.ignored.finish(sources.texts);
  const all = [
    ...errors.filter((message) => !isReported(message)).map(toProblem('error')),
    ...unresolved.values(),
    ...sources.unbundled.values(),
    ...warnings.map(toProblem('warning')),
    ...sources.problems,
    ...findMissingBases(sources),
    ...findUnsupportedDecorators(sources),
    ...findOutsideFiles(file, sources),
  ];
  // A message about a file that must not be bundled may quote its content.
  return [...all.filter((problem) => !ignoredFiles.has(problem.file)), ...ignoredProblems].sort(byLocation);
}

const byLocation = (a: BundleProblem, b: BundleProblem) =>
  a.file === b.file ? a.line - b.line || a.column - b.column : a.file < b.file ? -1 : 1;
