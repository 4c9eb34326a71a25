/** What a pull does to a folder: which files are written, or why the folder is left alone. Pure. */

import { type Said, wholeBody } from '../../folder/folder-formula.ts';
import { type FormulaFiles, manifestText } from '../../folder/formula-files.ts';
import { changedFields, contentHash } from '../../formula-content.ts';
import type { Formula, FormulaBody } from '../../model.ts';
import type { SeenFormula } from '../../state/remote-baseline.ts';

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
export interface Pulled {
  formula: Formula;
  wanted: FormulaFiles;
  said: Said;
  /** What the service was last seen to hold. */
  seen: SeenFormula | undefined;
  /** Overwrite local changes. */
  force: boolean;
}

/**
 * Compares a folder with the formula. What the folder says nothing of is added. What it says otherwise is overwritten
 * only where it says what the service was last seen to hold, or with `force`; but never code.ts and code.mjs.
 */
export function planPull({ formula, wanted, said, seen, force }: Pulled): PullStep {
  const differing = differingFiles(wanted, said);
  const bundled = said.code?.file === 'code.js' ? undefined : said.code?.file;
  const isForeign = differing.length > 0 && !force && !isAsSeen(said, formula, seen);
  if (isForeign || (bundled !== undefined && differing.includes(bundled))) return { outcome: 'kept', files: differing };
  const { files, removed } = changesOf(wanted, said);
  return files.size === 0 && removed.length === 0 ? { outcome: 'unchanged' } : { outcome: 'written', files, removed };
}

/** The files that are there and say something else than the service, or nothing that can be read. */
function differingFiles({ body }: FormulaFiles, { manifest, code, icon, icons }: Said): string[] {
  const differs = (part: Partial<FormulaBody>) => changedFields({ ...body, ...part }, body).length > 0;
  return [
    ...(manifest && (!manifest.value || differs(manifest.value)) ? [manifest.file] : []),
    ...(code && (code.value === undefined || differs({ code: code.value })) ? [code.file] : []),
    ...(icon && (icon.value === undefined || differs({ icon: icon.value })) ? icons : []),
  ];
}

/** Whether the folder says what was last seen; icon and description may be left out, as when it is sent. */
function isAsSeen(said: Said, formula: Formula, seen: SeenFormula | undefined): boolean {
  const body = wholeBody(said);
  if (!body || !seen) return false;
  const kept = { ...body, description: body.description ?? formula.description ?? null };
  const whole = [
    body,
    kept,
    { ...body, icon: body.icon ?? formula.icon },
    { ...kept, icon: body.icon ?? formula.icon },
  ];
  return whole.some((content) => contentHash(content as FormulaBody) === seen.hash);
}

/** The least that makes the folder say what the service holds; a file that says it already stays as it is. */
function changesOf({ body, code, icon }: FormulaFiles, said: Said) {
  const files = new Map<string, string | Buffer>();
  const isSame = (part: Partial<FormulaBody>) => changedFields({ ...body, ...part }, body).length === 0;
  const { value: text } = said.code ?? {};
  if (text === undefined || !isSame({ code: text })) files.set('code.js', code);
  const hasIcon =
    icon === undefined ? said.icons.length === 0 : said.icon?.value !== undefined && isSame({ icon: said.icon.value });
  const place = said.icons.find((name) => sameKind(name, icon?.name));
  if (!hasIcon && icon) files.set(place ?? icon.name, icon.bytes);
  const removed = hasIcon ? [] : said.icons.filter((name) => name !== place);
  const manifest = said.manifest?.value;
  const isManifest = manifest && isSame({ ...manifest, description: manifest.description ?? null });
  if (!isManifest) files.set('manifest.json', manifestText(body, said.manifestValue));
  return { files, removed };
}

const sameKind = (file: string, wanted: string | undefined) =>
  wanted !== undefined && /\.png$/i.test(file) === /\.png$/i.test(wanted);
