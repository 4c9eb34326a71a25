/** Annotates files in GitHub Actions, on stderr. */
import { toDisplayPath } from '../files/paths.ts';
import type { Host } from '../host/host.ts';
import { annotateFile } from '../report/github.ts';
import type { StepResult } from '../sync/push/plan.ts';
import { type FolderFindings, selectFindings } from '../views/findings-view.ts';

/** Annotates the files of findings. */
export function annotateFindings(checked: FolderFindings, isVerbose: boolean, host: Host): void {
  for (const finding of selectFindings(checked, isVerbose))
    annotateFile(host, toDisplayPath(checked.folder, finding.file), finding);
}

/** Annotates the manifests of failed steps. */
export function annotateFailures(results: readonly StepResult[], host: Host): void {
  for (const { folder, outcome, error } of results)
    if (error) annotateManifest(folder.displayPath, host, { level: 'error', rule: outcome, message: error.message });
}

type Annotation = Parameters<typeof annotateFile>[2];

export function annotateManifest(
  folder: string,
  host: Host,
  finding: Pick<Annotation, 'level' | 'rule' | 'message'>,
): void {
  const file = 'manifest.json';
  annotateFile(host, toDisplayPath(folder, file), { file, line: 1, column: 1, ...finding });
}
