/** Writes the plan of diff and push --dry-run to the report of --report markdown=FILE. */
import type { Host } from '../../../host/host.ts';
import type { Report } from '../../../report/report-file.ts';
import { formatPathArguments, type PathFlags, type SinceFlags } from '../../../session/path-flags.ts';
import { createCommandFormatter } from '../../../text/shell-quote.ts';
import { toPlanReport } from '../../../views/plan-report.ts';
import type { DescribedStep, FindBase } from '../../../views/plan-view.ts';

interface ReportedPlan {
  paths: readonly string[];
  flags: PathFlags & SinceFlags & { prune?: boolean | undefined; force?: boolean | undefined };
  /** Undefined if no connection was needed. */
  target?: { name: string };
  findBase?: FindBase;
}

/** Does nothing if another report, or none, was requested. Raises usage (2) if the file cannot be written. */
export async function writePlanReport(
  report: Report,
  described: readonly DescribedStep[],
  { paths, flags, target, findBase }: ReportedPlan,
  host: Host,
): Promise<void> {
  if (report.format !== 'markdown') return;
  const selection = [
    ...(formatPathArguments(paths, flags) ?? []),
    ...(flags.prune ? ['--prune'] : []),
    ...(flags.force ? ['--force'] : []),
  ];
  const fullPlan = createCommandFormatter(host.platform)('formula diff', ...selection);
  report.write('markdown', await toPlanReport(described, { target: target?.name, fullPlan }, findBase));
}
