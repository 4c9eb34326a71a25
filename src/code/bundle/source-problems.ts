/** Notes and warnings about the sources of a bundle. */
import { positionAt } from '../../text/source-position.ts';
import type { BundleProblem } from './messages.ts';
import type { Sources } from './sources.ts';

const MAX_LISTED = 50;

/** A note that lists files from outside the formula's folder. */
export function findOutsideFiles(file: string, { byKey }: Sources): BundleProblem[] {
  const files = [...byKey.values()].filter(({ file: one, isPackageFile }) => !isPackageFile && one.startsWith('../'));
  if (files.length === 0) return [];
  const names = [...new Set(files.map(({ file: one }) => one))].sort();
  const more = names.length > MAX_LISTED ? `, and ${names.length - MAX_LISTED} more` : '';
  const message = `the bundle contains files from outside the formula's folder: ${names.slice(0, MAX_LISTED).join(', ')}${more}`;
  return [{ file, line: 1, column: 1, level: 'note', message }];
}

/** Warns about each tsconfig.json that extends a missing file. */
export function findMissingBases({ tsConfigs, fileAccess }: Sources): BundleProblem[] {
  return tsConfigs.missingBases.map(({ file, text, base }) => ({
    file: fileAccess.toDisplayPath(file),
    ...positionAt(text, Math.max(0, text.indexOf(JSON.stringify(base)))),
    level: 'warning',
    message: `cannot find ${JSON.stringify(base)}, which this file extends`,
  }));
}

/** Warnings about `emitDecoratorMetadata`, which esbuild lacks, if the formula's own code has decorators. */
export function findUnsupportedDecorators({ tsConfigs, fileAccess, texts, byKey }: Sources): BundleProblem[] {
  const hasDecorators = [...byKey.values()].some(
    ({ file, isPackageFile }) => !isPackageFile && /\.[cm]?tsx?$/.test(file) && DECORATOR.test(texts.get(file) ?? ''),
  );
  if (!hasDecorators) return [];
  return [...tsConfigs.withDecoratorMetadata].map(([file, text]) => ({
    file: fileAccess.toDisplayPath(file),
    ...positionAt(text, Math.max(0, text.indexOf('"emitDecoratorMetadata"'))),
    level: 'warning',
    message: 'emitDecoratorMetadata has no effect: esbuild, which bundles the code, does not support it',
  }));
}

const DECORATOR = /^[ \t]*@[\p{ID_Start}$_]/mu;
