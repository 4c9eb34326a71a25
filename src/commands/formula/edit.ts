/** formulary formula edit */

import type { DefineCommand } from '../../cli/define.ts';
import { applyEdit } from '../../edit/apply-edit.ts';
import type { EditResult } from '../../edit/change-folder.ts';
import type { Change } from '../../edit/change-manifest.ts';
import { parseChanges, type TypedChange } from '../../edit/parse-changes.ts';
import { findUnappliedKeys, prepareEdit, type UnappliedKey } from '../../edit/prepare-edit.ts';
import { CliError } from '../../errors.ts';
import type { Folder } from '../../folder/find-folders.ts';
import { findHeadCommit } from '../../git/references.ts';
import type { Host } from '../../host/host.ts';
import { createMonotonicClock } from '../../host/monotonic-clock.ts';
import { startProgress } from '../../output/progress.ts';
import { type OutputFlags, withOutputFlags } from '../../session/flags.ts';
import { createFindingsPrinter } from '../../session/load-folder.ts';
import {
  formatPathArguments,
  type PathFlags,
  type SinceFlags,
  selectFolders,
  withPathFlags,
  withSinceFlag,
} from '../../session/path-flags.ts';
import { listErrors, printResult } from '../../session/print-errors.ts';
import { createSession, type Session } from '../../session/session.ts';
import { getSurroundings } from '../../state/xdg-paths.ts';
import { createCommandFormatter, shellQuote } from '../../text/shell-quote.ts';
import { createNameMatcher } from '../../text/wildcard.ts';
import {
  decideEditOutcome,
  EDIT_FIELDS,
  editView,
  formatEditNextSteps,
  formatEditSummary,
  formatSkippedChanges,
  formatUnappliedKeys,
} from '../../views/edit-view.ts';

interface EditFlags extends OutputFlags, PathFlags, SinceFlags {
  name?: string | undefined;
  dryRun?: boolean | undefined;
}

export const edit: DefineCommand = (command, host, setOutcome) => {
  // One list for all flags: the changes are made in the order in which they were passed.
  const typed: TypedChange[] = [];
  const add = (flag: TypedChange['flag']) => (value: string) => typed.push({ flag, value });
  withOutputFlags(withSinceFlag(withPathFlags(command)))
    .description(
      'Change values in the manifests of formulas. All results are validated first; if one is invalid, no file is changed. KEY is a path in the manifest, for example description or request_parameters[card.number].optional; formulas without it are skipped. Sends nothing and requires no permission.',
    )
    .argument('[path...]', 'formula folders, or folders that contain some at any depth')
    .option('--name <pattern>', 'only formulas with this name; * matches any characters')
    .option('--set <key=value>', 'set KEY to VALUE, which must have the type of KEY; repeatable', add('--set'))
    .option('--set-json <key=json>', 'set KEY to JSON, or add the element NAME; repeatable', add('--set-json'))
    .option('--unset <key>', 'remove KEY; repeatable', add('--unset'))
    .option('--dry-run', 'show what would change without changing anything (exit code 10)')
    .addHelpText('after', HELP)
    .action(async (paths, flags) => {
      const session = createSession(flags, host, EDIT_FIELDS);
      const { note, isVerbose } = session;
      const changes = parseChanges(typed);
      const { folders, isEmptyList } = await selectFolders(paths, flags, session);
      if (folders.length === 0 && !isEmptyList) throw new CliError('usage', 'no formulas selected');
      const prepared = await prepare(folders, changes, flags.name, session);
      const results = await applyEdit(prepared, flags, host);
      if (isVerbose) formatSkippedChanges(results).forEach(note);
      const unapplied = findUnappliedKeys(prepared, changes);
      const isApplied = prepared.some(({ outcome }) => outcome !== 'skipped');
      const hasRead = prepared.some(({ outcome, manifest }) => manifest || outcome === 'unchanged');
      if (unapplied.length > 0 && hasRead) note(`warning: ${formatUnappliedKeys(unapplied)}`);
      const summary = results.length > 0 || isEmptyList ? [formatEditSummary(results)] : [];
      await printResult(await editView(results), listErrors(results), summary, session);
      const command = createCommandFormatter(host.platform);
      const hasCommit = (await findHeadCommit(host.cwd(), host.env)) !== undefined;
      formatEditNextSteps(results, formatPathArguments(paths, flags), command, hasCommit).forEach(note);
      if (folders.length > 0 && !isApplied) throw notFoundError(results, unapplied, flags, host);
      setOutcome(decideEditOutcome(results, flags));
    });
};

const HELP = `
KEY is a path in the manifest: description, configuration[REGION].type,
request_parameters[0].optional. [NAME] is the element with that name, [0] the
first element, and ["NAME"] quotes any name. An element that does not exist is
added by --set-json with its type. To change code, use sed or a codemod, then
run formula validate.`;

/** Edits the formulas in memory, checks the results, and prints their findings. */
async function prepare(
  folders: readonly Folder[],
  changes: readonly Change[],
  name: string | undefined,
  session: Session,
): Promise<EditResult[]> {
  const { host } = session;
  const progress = startProgress(host.stderr, createMonotonicClock(host.now), 'edit', folders.length);
  const prepared = await prepareEdit(folders, changes, {
    filter: name === undefined ? undefined : createNameMatcher(name),
    bundleContext: getSurroundings(host),
    onStep: () => progress.step(false),
  }).finally(() => progress.end());
  const printer = createFindingsPrinter(session);
  for (const { checked } of prepared) if (checked) await printer.print(checked);
  printer.end();
  return prepared;
}

function notFoundError(
  results: readonly EditResult[],
  unapplied: readonly UnappliedKey[],
  { name }: EditFlags,
  host: Pick<Host, 'platform'>,
): CliError {
  const message = formatUnappliedKeys(unapplied);
  if (results.length === 0 || message === undefined)
    return new CliError('not_found', `no formula has a name that matches "${name}"`);
  const element = unapplied.find(({ isElement, similar }) => isElement && similar === undefined);
  const flag = element && shellQuote(`${element.key}={"type": "string"}`, host.platform);
  return new CliError('not_found', message, {
    hint: flag && `To add it, include its type: --set-json ${flag}`,
  });
}
