/** formulary formula diff */

import { CliError } from '../../errors.ts';
import type { Define } from '../../program/define.ts';
import { withOutputFlags, withServiceFlags } from '../../program/flags.ts';
import { loadTree } from '../../program/load-folder.ts';
import { createSession } from '../../program/session.ts';
import { addStepSummary } from '../../report/add-step-summary.ts';
import { clashesOf, openLocks, plan } from '../../sync/push/prepare-push.ts';
import { commandLine, pathArgument } from '../../text/shell-quote.ts';
import { planAnswer, planRows, planSummary } from '../../views/plan-view.ts';

export const diff: Define = (command, host, end) => {
  withServiceFlags(withOutputFlags(command))
    .summary('show what push would do')
    .description(
      'Show what push would do: field by field, code as a unified diff. Writes nothing, here or on the service, and ends with 10 when something differs. Needs the permission reactor:read.',
    )
    .argument('<path...>', 'formula folders, or folders that hold some at any depth')
    .option('--prune', 'show which formulas of the lock push --prune would delete')
    .addHelpText(
      'after',
      '\nExamples:\n  formulary formula diff formulas --local\n  formulary formula diff formulas --json --local',
    )
    .action(async (paths, flags) => {
      const session = createSession(flags, host);
      const { print } = session;
      const tree = await loadTree(paths, session);
      const invalid = tree.formulas.filter(({ local }) => !local);
      if (invalid.length > 0) {
        throw new CliError(
          'invalid',
          `${invalid.map(({ folder }) => folder).join(', ')}: not valid; nothing was compared`,
          {
            hint: `Fix the errors above. To see them again, run: ${commandLine(host.platform)('formula validate', ...paths.map(pathArgument))}`,
            details: {
              findings: invalid.flatMap(({ folder, findings }) => findings.map((finding) => ({ folder, ...finding }))),
            },
          },
        );
      }
      refuseClashes(clashesOf(tree));
      const { send, target } = await session.connect();
      const identities = openLocks(tree, target, flags, host);
      refuseClashes(clashesOf(tree, identities.ids));
      const planned = await plan(tree, identities, send, target, flags, host);
      const { steps } = planned.plan;
      addStepSummary(host, 'formulary formula diff', planSummary(steps), planRows(steps, host));
      await print(await planAnswer(steps, session.isVerbose, host));
      if (steps.some(({ isOpen }) => isOpen)) end('unavailable');
      else if (steps.some(({ action }) => action !== 'keep')) {
        const args = [...paths.map(pathArgument), ...(flags.prune ? ['--prune'] : [])];
        session.note(`next: ${send.command('formula push', ...args)}`);
        end('differs');
      }
    });
};

function refuseClashes(clashes: ReadonlyMap<string, string>): void {
  const [clash] = clashes.values();
  if (clash !== undefined) throw new CliError('invalid', `${clash}; nothing was compared`);
}
