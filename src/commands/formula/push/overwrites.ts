/** Warns about updates that replace remote versions which are not known to be earlier versions of their folders. */
import type { Host } from '../../../host/host.ts';
import { escapeControls } from '../../../output/escape.ts';
import { annotateManifest } from '../../../session/annotations.ts';
import type { Step } from '../../../sync/push/plan.ts';
import { listFirst } from '../../../text/shorten.ts';
import { getStepFolder } from '../../../views/plan-view.ts';

/** Prints one warning for all of them, and in GitHub Actions annotates their manifests. */
export function warnAboutOverwrites(
  steps: readonly Step[],
  isShallow: boolean,
  warn: (text: string) => void,
  host: Host,
): void {
  const overwriting = steps.filter(({ action, overwrites }) => overwrites && action !== 'conflict');
  if (overwriting.length === 0) return;
  const folders = overwriting.map((step) => getStepFolder(step, host) ?? '');
  const cause = isShallow ? ' (the git history is shallow; in CI, set fetch-depth: 0)' : '';
  warn(escapeControls(`warning: ${formatSubject(folders.length)}: ${listFirst(folders)}${cause}`));
  for (const [i, step] of overwriting.entries()) {
    if (!step.local) continue;
    const message = 'overwrites a remote version that may contain changes by others';
    annotateManifest(folders[i] ?? '', host, { level: 'warning', rule: 'overwrites', message });
  }
}

const formatSubject = (count: number) =>
  count === 1
    ? '1 folder overwrites a remote version that may contain changes by others'
    : `${count} folders overwrite remote versions that may contain changes by others`;
