/** Plans what a pull writes to a folder, or why it skips the folder. Pure. */
import { type FolderFormula, wholeBody } from '../../folder/folder-formula.ts';
import { type FormulaFiles, formatManifest } from '../../folder/formula-files.ts';
import { changedFields } from '../../formula-fields.ts';
import type { Formula, FormulaBody } from '../../model.ts';
import { isContent } from '../../state/remote-baseline.ts';

export type PullStep =
  | { outcome: 'unchanged' }
  | {
      outcome: 'written';
      /** Contents by file name, the manifest last. */
      files: ReadonlyMap<string, string | Buffer>;
      /** Icons that the service no longer has. */
      removed: readonly string[];
    }
  /** Files that differ from the service and from the baseline. */
  | { outcome: 'kept'; files: readonly string[] };

/** The remote formula, and the current state of its folder. */
export interface PullInput {
  formula: Formula;
  target: FormulaFiles;
  local: FolderFormula;
  /** Of the content that the folder last had in common with the service. */
  baselineHash: string | undefined;
  /** Overwrite local changes. */
  force: boolean;
}

/**
 * Compares a folder with the formula. Missing files are added. Files that differ are overwritten only if the folder is at
 * its baseline, or with `force`; code.ts and code.mjs never are.
 */
export function planPull({ formula, target, local, baselineHash, force }: PullInput): PullStep {
  const differing = findDifferingFiles(target, local);
  const sourceFile = local.code?.file === 'code.js' ? undefined : local.code?.file;
  const hasLocalChanges = differing.length > 0 && !force && !isAtBaseline(local, formula, baselineHash);
  if (hasLocalChanges || (sourceFile !== undefined && differing.includes(sourceFile)))
    return { outcome: 'kept', files: differing };
  const { files, removed } = planFileChanges(target, local);
  return files.size === 0 && removed.length === 0 ? { outcome: 'unchanged' } : { outcome: 'written', files, removed };
}

/** The existing files that differ from the service, or cannot be parsed. */
function findDifferingFiles({ body }: FormulaFiles, { manifest, code, icon, icons }: FolderFormula): string[] {
  const differs = (part: Partial<FormulaBody>) => changedFields({ ...body, ...part }, body).length > 0;
  return [
    ...(manifest && (!manifest.value || differs(manifest.value)) ? [manifest.file] : []),
    ...(code && (code.value === undefined || differs({ code: code.value })) ? [code.file] : []),
    ...(icon && (icon.value === undefined || differs({ icon: icon.value })) ? icons : []),
  ];
}

/** Whether the folder has the content of a baseline; icon and description may be missing, as in an update. */
function isAtBaseline(local: FolderFormula, formula: Formula, hash: string | undefined): boolean {
  const body = wholeBody(local);
  return body !== undefined && hash !== undefined && isContent(body, formula, hash);
}

/** The smallest change that makes the folder equal to the formula; files that are equal already are not written. */
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
