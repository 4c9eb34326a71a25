/** What a pull does to a folder: which files are written, or why the folder is left alone. Pure. */

import { type FolderFormula, wholeBody } from '../../folder/folder-formula.ts';
import { type FormulaFiles, formatManifest } from '../../folder/formula-files.ts';
import { changedFields } from '../../formula-content.ts';
import type { Formula, FormulaBody } from '../../model.ts';
import { isContent } from '../../state/remote-baseline.ts';

export type PullStep =
  | { outcome: 'unchanged' }
  | {
      outcome: 'written';
      /** Contents by file name, the manifest last. */
      files: ReadonlyMap<string, string | Buffer>;
      /** Icons that the service does not have any more. */
      removed: readonly string[];
    }
  /** Files that say something else than the service, and not what was last seen there. */
  | { outcome: 'kept'; files: readonly string[] };

/** What is wanted in a folder, and what is known of it. */
export interface PullInput {
  formula: Formula;
  target: FormulaFiles;
  local: FolderFormula;
  /** Hashes of the content that the folder last had in common with the service, or was about to have. */
  baselineHashes: readonly string[];
  /** Overwrite local changes. */
  force: boolean;
}

/**
 * Compares a folder with the formula. What the folder says nothing of is added. What it says otherwise is overwritten
 * only where it says what the service was last seen to hold, or with `force`; but never code.ts and code.mjs.
 */
export function planPull({ formula, target, local, baselineHashes, force }: PullInput): PullStep {
  const differing = findDifferingFiles(target, local);
  const sourceFile = local.code?.file === 'code.js' ? undefined : local.code?.file;
  const hasLocalChanges = differing.length > 0 && !force && !isAtBaseline(local, formula, baselineHashes);
  if (hasLocalChanges || (sourceFile !== undefined && differing.includes(sourceFile)))
    return { outcome: 'kept', files: differing };
  const { files, removed } = planFileChanges(target, local);
  return files.size === 0 && removed.length === 0 ? { outcome: 'unchanged' } : { outcome: 'written', files, removed };
}

/** The files that are there and say something else than the service, or nothing that can be read. */
function findDifferingFiles({ body }: FormulaFiles, { manifest, code, icon, icons }: FolderFormula): string[] {
  const differs = (part: Partial<FormulaBody>) => changedFields({ ...body, ...part }, body).length > 0;
  return [
    ...(manifest && (!manifest.value || differs(manifest.value)) ? [manifest.file] : []),
    ...(code && (code.value === undefined || differs({ code: code.value })) ? [code.file] : []),
    ...(icon && (icon.value === undefined || differs({ icon: icon.value })) ? icons : []),
  ];
}

/** Whether the folder says what was last seen; icon and description may be left out, as when it is sent. */
function isAtBaseline(local: FolderFormula, formula: Formula, hashes: readonly string[]): boolean {
  const body = wholeBody(local);
  return body !== undefined && hashes.some((hash) => isContent(body, formula, hash));
}

/** The least that makes the folder say what the service holds; a file that says it already stays as it is. */
function planFileChanges({ body, code, icon }: FormulaFiles, local: FolderFormula) {
  const files = new Map<string, string | Buffer>();
  const isSame = (part: Partial<FormulaBody>) => changedFields({ ...body, ...part }, body).length === 0;
  const { value: text } = local.code ?? {};
  if (text === undefined || !isSame({ code: text })) files.set('code.js', code);
  const isIconCurrent =
    icon === undefined
      ? local.icons.length === 0
      : local.icon?.value !== undefined && isSame({ icon: local.icon.value });
  const iconFile = local.icons.find((name) => isSameImageType(name, icon?.name));
  if (!isIconCurrent && icon) files.set(iconFile ?? icon.name, icon.bytes);
  const removed = isIconCurrent ? [] : local.icons.filter((name) => name !== iconFile);
  const manifest = local.manifest?.value;
  const isManifestCurrent = manifest && isSame({ ...manifest, description: manifest.description ?? null });
  if (!isManifestCurrent) files.set('manifest.json', formatManifest(body, local.manifestValue));
  return { files, removed };
}

const isSameImageType = (file: string, other: string | undefined) =>
  other !== undefined && /\.png$/i.test(file) === /\.png$/i.test(other);
