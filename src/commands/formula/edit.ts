/** formulary formula edit */

import type { DefineCommand } from '../../cli/define.ts';
import { type EditResult, findUnappliedKeys, toPlannedResults } from '../../edit/edit-result.ts';
import { type Change, parseChanges, type TypedChange } from '../../edit/parse-changes.ts';
import { type PreparedEdit, prepareEdit } from '../../edit/prepare-edit.ts';
import { openScripts } from '../../edit/run-script.ts';
import { writeResults } from '../../edit/write-results.ts';
import { CliError } from '../../errors.ts';
import type { Folder } from '../../folder/find-folders.ts';
import { createMonotonicClock } from '../../host/monotonic-clock.ts';
import { startProgress } from '../../output/progress.ts';
import { type OutputFlags, withOutputFlags } from '../../session/flags.ts';
import { showFindings } from '../../session/load-folder.ts';
import {
  formatPathArguments,
  type PathFlags,
  type SinceFlags,
  selectFolders,
  withPathFlags,
  withSinceFlag,
} from '../../session/path-flags.ts';
import { listErrors, printErrors, printHints } from '../../session/print-errors.ts';
import { createSession, type Session } from '../../session/session.ts';
import { getSurroundings } from '../../state/xdg-paths.ts';
import { createNameMatcher } from '../../text/name-search.ts';
import { createCommandFormatter } from '../../text/shell-quote.ts';
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
      'Change values in the manifests of formulas, or pass manifests and code to a script. All results are validated first; if one is invalid, no file is changed. KEY is a path in the manifest, for example description or request_parameters[card.number].optional; formulas without it are skipped. Sends nothing and requires no permission.',
    )
    .argument('[path...]', 'formula folders, or folders that contain some at any depth')
    .option('--name <pattern>', 'only formulas with a matching name; * matches any characters')
    .option('--set <key=value>', 'set KEY to VALUE, which must have the type of KEY; repeatable', add('--set'))
    .option('--set-json <key=json>', 'set KEY to JSON; repeatable', add('--set-json'))
    .option('--unset <key>', 'remove KEY; repeatable', add('--unset'))
    .option('--script <file>', 'module whose default export changes {folder, manifest, code}', add('--script'))
    .option('--dry-run', 'show what would change without changing anything (exit code 10)')
    .addHelpText('after', HELP)
    .action(async (paths, flags) => {
      const session = createSession(flags, host, EDIT_FIELDS);
      const { print, note, isVerbose } = session;
      const changes = parseChanges(typed, host);
      const { folders, isEmptyList } = await selectFolders(paths, flags, session);
      if (folders.length === 0 && !isEmptyList) throw new CliError('usage', 'no formulas selected');
      const prepared = await prepare(folders, changes, flags.name, session);
      const results = await writeResults(toPlannedResults(prepared), flags, host);
      if (isVerbose) formatSkippedChanges(results).forEach(note);
      const unapplied = formatUnappliedKeys(findUnappliedKeys(prepared.edits, changes));
      const isApplied = prepared.edits.some(({ state }) => state !== 'skipped');
      if (unapplied !== undefined && isApplied) note(`warning: ${unapplied}`);
      const errors = listErrors(results);
      printErrors(errors, host);
      await print(await editView(results));
      if (results.length > 0 || isEmptyList) note(formatEditSummary(results));
      printHints(errors, host);
      const command = createCommandFormatter(host.platform);
      formatEditNextSteps(results, formatPathArguments(paths, flags), command).forEach(note);
      if (folders.length > 0 && !isApplied) throw notFoundError(results, unapplied, flags);
      setOutcome(decideEditOutcome(results, flags));
    });
};

const HELP = `
KEY is a path in the manifest: description, configuration[REGION].type, request_parameters[0].optional.
[NAME] is the element with that name, [0] the first element, and ["NAME"] quotes any name.

Examples:
  formulary formula edit formulas --set 'configuration[BRANDS].description=Accepted brands'
  formulary formula edit formulas --name 'Tokenize*' --set 'request_parameters[card.year].optional=false' --dry-run
  formulary formula edit formulas --script normalize.mjs --json`;

/** Edits the formulas in memory, checks the results, and prints their findings. */
async function prepare(
  folders: readonly Folder[],
  changes: readonly Change[],
  name: string | undefined,
  session: Session,
): Promise<PreparedEdit> {
  const { host, isJson } = session;
  const progress = startProgress(host.stderr, createMonotonicClock(host.now), 'edit', folders.length);
  const scripts = openScripts(host, { isJson });
  const prepared = await prepareEdit(folders, changes, {
    filter: name === undefined ? undefined : (createNameMatcher(name) ?? (() => true)),
    runScript: scripts.run,
    bundleContext: getSurroundings(host),
    onStep: () => progress.step(false),
  }).finally(async () => {
    await scripts.close();
    progress.end();
  });
  for (const checked of prepared.checked.values()) await showFindings(checked, session);
  return prepared;
}

const notFoundError = (results: readonly EditResult[], unapplied: string | undefined, { name }: EditFlags) =>
  new CliError(
    'not_found',
    results.length > 0 && unapplied ? unapplied : `no formula has a name that matches "${name}"`,
  );
