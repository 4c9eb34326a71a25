/** formulary formula diff */

import { CliError } from '../../errors.ts';
import type { DefineCommand } from '../../program/define.ts';
import { withOutputFlags, withServiceFlags } from '../../program/flags.ts';
import { loadTree } from '../../program/load-folder.ts';
import { warnAboutOverwrites } from '../../program/overwrites.ts';
import { pathArguments, withDefaultPath, withPathFlags } from '../../program/path-flags.ts';
import { createSession } from '../../program/session.ts';
import { addStepSummary } from '../../report/add-step-summary.ts';
import { findDuplicateFolders, openTreeLinks, preparePush } from '../../sync/push/prepare-push.ts';
import { createCommandFormatter, toPathArgument } from '../../text/shell-quote.ts';
import { formatPlanSummary, PLAN_FIELDS, planView, toPlanRows } from '../../views/plan-view.ts';

export const diff: DefineCommand = (command, host, setOutcome) => {
  withServiceFlags(withOutputFlags(withPathFlags(command)))
    .description(
      'Show what push would change: field by field, and code as a unified diff. Changes nothing, locally or on the service, and exits with 10 if there are differences. Requires the permission reactor:read.',
    )
    .argument('[path...]', 'formula folders, or folders that contain some at any depth (default: .)')
    .option('--prune', 'also show the formulas that push --prune would delete')
    .addHelpText(
      'after',
      '\nExamples:\n  formulary formula diff formulas --local\n  formulary formula diff formulas --json --local',
    )
    .action(async (typed, flags) => {
      const paths = withDefaultPath(typed, flags);
      const session = createSession(flags, host, PLAN_FIELDS);
      const { print } = session;
      const tree = await loadTree(paths, flags, session);
      if (tree.formulas.length === 0) return print(await planView([], session.isVerbose, host));
      const invalid = tree.formulas.filter(({ local }) => !local);
      if (invalid.length > 0) {
        throw new CliError(
          'invalid',
          `${invalid.map(({ folder }) => folder).join(', ')}: not valid; nothing was compared`,
          {
            hint: `Fix the errors above. To see them again, run: ${createCommandFormatter(host.platform)('formula validate', ...(pathArguments(paths, flags) ?? invalid.map(({ folder }) => toPathArgument(folder))))}`,
            details: {
              findings: invalid.flatMap(({ folder, findings }) => findings.map((finding) => ({ folder, ...finding }))),
            },
          },
        );
      }
      assertNoDuplicates(findDuplicateFolders(tree));
      const { client, target } = await session.connect();
      const links = openTreeLinks(tree, target, flags, host);
      assertNoDuplicates(findDuplicateFolders(tree, links.ids));
      const prepared = await preparePush(tree, links, client, target, flags, host);
      const { steps } = prepared.plan;
      warnAboutOverwrites(steps, prepared.isShallow, session.warn, host);
      addStepSummary(host, 'formulary formula diff', formatPlanSummary(steps), toPlanRows(steps, host));
      await print(await planView(steps, session.isVerbose, host));
      session.note(formatPlanSummary(steps));
      if (steps.some(({ action }) => action !== 'keep')) {
        const selection = pathArguments(paths, flags);
        const prune = flags.prune ? ['--prune'] : [];
        const isRefused = steps.some(({ action }) => action === 'conflict');
        if (selection && !isRefused) session.note(`next: ${client.command('formula push', ...selection, ...prune)}`);
        setOutcome('differs');
      }
    });
};

function assertNoDuplicates(duplicates: ReadonlyMap<string, string>): void {
  const [duplicate] = duplicates.values();
  if (duplicate !== undefined) throw new CliError('invalid', `${duplicate}; nothing was compared`);
}
