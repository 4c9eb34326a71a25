/** Collects the problems of a bundle: from esbuild's messages, and from the sources. */
import { resolve } from 'node:path';
import type { BuildFailure, Message } from 'esbuild';
import { listFirst } from '../../text/shorten.ts';
import { findIgnoredInputs } from './ignored-inputs.ts';
import type { Input } from './input.ts';
import { type BundleProblem, ENTRY, JSX, toBundleProblem } from './messages.ts';
import { findNativeParts } from './native-parts.ts';
import { type Sources, toImportKey } from './sources.ts';
import { describeUnresolved, findUnresolved } from './unresolved.ts';

type Messages = Pick<BuildFailure, 'errors' | 'warnings'>;
type Level = 'error' | 'warning';

/** The problems, sorted by location; and those of imports that may stay in the bundle, by import key. */
export async function collectProblems({ errors, warnings }: Messages, file: string, sources: Sources) {
  const unresolved = new Map<string, BundleProblem>();
  const toProblem = async (message: Message, level: Level): Promise<BundleProblem[]> => {
    if (!isAboutSource(message, sources)) return toSettingsProblem(message, file, level, sources);
    const input = message.location ? sources.findInput(message.location.file) : undefined;
    const problem = toBundleProblem(message, file, level, (name) => sources.findInput(name)?.file);
    const found = input && findUnresolved(message, input, sources);
    if (found) {
      const described = { ...problem, ...describeUnresolved(found) };
      unresolved.set(toImportKey(input, found.specifier), described);
      return [described];
    }
    return input && level === 'error' && (await isJsxInTypeScript(input, sources))
      ? [{ ...problem, message: JSX }]
      : [problem];
  };
  const { problems: ignoredProblems, files: ignoredFiles } = await findIgnoredInputs(sources);
  const messages = [
    ...errors.map((message) => toProblem(message, 'error')),
    ...warnings.map((message) => toProblem(message, 'warning')),
  ];
  const all = [
    ...(await Promise.all(messages)).flat(),
    ...sources.problems,
    ...(hasDecorators(sources) ? sources.settings.findUnsupportedDecorators() : []),
    ...findNativeParts(sources),
    ...findOutsideFiles(file, sources),
  ];
  // A message about a file that must not be bundled may quote its content.
  const problems = [...all.filter((problem) => !ignoredFiles.has(problem.file)), ...ignoredProblems].sort(byLocation);
  return { problems, unresolved };
}

/** esbuild tells JSX in JavaScript only. */
async function isJsxInTypeScript({ file, isPackageFile }: Input, { texts, transform }: Sources) {
  const text = texts.get(file);
  if (isPackageFile || text === undefined || !/\.[cm]?ts$/.test(file)) return false;
  const isValid = (loader: 'ts' | 'tsx') =>
    transform(text, { loader, logLevel: 'silent' }).then(
      () => true,
      () => false,
    );
  return !(await isValid('ts')) && (await isValid('tsx'));
}

const byLocation = (a: BundleProblem, b: BundleProblem) =>
  a.file === b.file ? a.line - b.line || a.column - b.column : a.file < b.file ? -1 : 1;

const isAboutSource = ({ location }: Message, { findInput }: Sources) =>
  !location || location.file === ENTRY || findInput(location.file) !== undefined;

/** A message about package.json or tsconfig.json; it may quote the file, so not of one from outside. */
function toSettingsProblem(message: Message, codeFile: string, level: Level, { fileAccess }: Sources): BundleProblem[] {
  const { folder, realPath, assertAllowed, toDisplayPath } = fileAccess;
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
  const outside = [...byKey.values()].filter((input) => !input.isPackageFile && input.file.startsWith('../'));
  if (outside.length === 0) return [];
  const names = listFirst([...new Set(outside.map((input) => input.file))].sort(), MAX_LISTED);
  const message = `the bundle contains files from outside the formula's folder: ${names}`;
  return [{ file, line: 1, column: 1, level: 'note', message }];
}

const hasDecorators = ({ byKey, texts }: Sources) =>
  [...byKey.values()].some(
    ({ file, isPackageFile }) => !isPackageFile && /\.[cm]?tsx?$/.test(file) && DECORATOR.test(texts.get(file) ?? ''),
  );

const DECORATOR = /^[ \t]*@[\p{ID_Start}$_]/mu;
