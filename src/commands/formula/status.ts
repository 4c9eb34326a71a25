/** formulary formula status */
import { readFolderFormula } from '../../check/check-folder.ts';
import type { DefineCommand } from '../../cli/define.ts';
import { CliError } from '../../errors.ts';
import { findRealPath } from '../../files/paths.ts';
import type { FolderSelection } from '../../folder/find-folders.ts';
import { wholeBody } from '../../folder/folder-formula.ts';
import type { Host } from '../../host/host.ts';
import { mapInParallel } from '../../host/parallel.ts';
import { collectProfiles, findFlag, withOutputFlags, withServiceFlags } from '../../session/flags.ts';
import { selectFolders, withDefaultPath, withPathFlags, withSinceFlag } from '../../session/path-flags.ts';
import { listErrors, printResult } from '../../session/print-errors.ts';
import { createSession, type Session } from '../../session/session.ts';
import type { ServiceFlags } from '../../settings/resolve-target.ts';
import { getSurroundings } from '../../state/xdg-paths.ts';
import { combineOutcomes } from '../../sync/outcome.ts';
import type { SelectedTree } from '../../sync/since.ts';
import { findLiveVersions, type LiveVersions } from '../../sync/status.ts';
import {
  type FolderStatus,
  formatStatusSummary,
  STATUS_FIELDS,
  type StatusTarget,
  statusView,
} from '../../views/status-view.ts';

export const status: DefineCommand = (command, host, setOutcome) => {
  const configured = withServiceFlags(withOutputFlags(withSinceFlag(withPathFlags(command))));
  const profiles = collectProfiles(configured);
  configured
    .description(
      'Show which version of each folder is live: the working tree, a commit, or one that no commit has. With several profiles, one column each. Changes nothing. Requires the permission reactor:read.',
    )
    .argument('[path...]', 'formula folders, or folders that contain some at any depth (default: .)')
    .action(async (typed, flags) => {
      assertSingleProfile(profiles, flags);
      const names = profiles.length > 0 ? profiles : [undefined];
      const [session, ...others] = names.map((profile) =>
        createSession({ ...flags, profile }, host, STATUS_FIELDS, { namesService: true }),
      ) as [Session, ...Session[]];
      const tree = await readTree(await selectFolders(withDefaultPath(typed, flags), flags, session), host);
      const columns = tree.folders.length === 0 ? [] : await readColumns(names, tree, [session, ...others]);
      const rows = tree.folders.map(({ folder, name }): FolderStatus => {
        const live = columns.map(({ versions }) => versions?.get(folder.path) ?? { state: 'unknown' as const });
        return { folder, name, live };
      });
      for (const { folder } of tree.folders.filter(({ body }) => !body))
        session.warn(`warning: ${folder.displayPath} is not compared, because it is invalid`);
      if (columns.some(({ isShallow }) => isShallow)) session.warn(SHALLOW);
      const view = statusView(rows, columns, host.now());
      await printResult(view, listErrors(columns), formatStatusSummary(rows, columns), session);
      setOutcome(combineOutcomes(columns));
    });
};

const SHALLOW =
  'warning: some versions were not found, because the git history is shallow (to complete it, run git fetch --unshallow; in CI, set fetch-depth: 0)';

/** Raises usage (2) for flags of one service with several profiles. */
function assertSingleProfile(profiles: readonly string[], flags: ServiceFlags): void {
  const flag = findFlag(flags, ['target', 'baseUrl', 'apiKeyFile', 'apiKeyStdin', 'apiKeyHeader']);
  if (profiles.length > 1 && flag !== undefined)
    throw new CliError('usage', `${flag} cannot be used with several profiles`);
}

/** Reads the folders, without checking them. Raises usage (2) for one that cannot be read. */
async function readTree(selection: FolderSelection, host: Host): Promise<SelectedTree> {
  const folders = await mapInParallel(selection.folders, MAX_PARALLEL, async ({ displayPath, path: found }) => {
    const path = findRealPath(found);
    const body = path === undefined ? undefined : wholeBody(await readFolderFormula(path, getSurroundings(host)));
    const folder = { path: path ?? found, displayPath };
    return { folder, name: body?.name ?? null, findings: [], durationMs: 0, body };
  });
  return { ...selection, folders, saveCleanCache: () => undefined };
}

const MAX_PARALLEL = 8;

/** A profile, and what is live; nothing if it cannot be read. */
interface Column extends StatusTarget, Partial<LiveVersions> {
  error?: CliError;
}

/** Raises usage (2), before any request, and invalid (3) for an invalid lock file. */
async function readColumns(
  names: readonly (string | undefined)[],
  tree: SelectedTree,
  sessions: readonly Session[],
): Promise<Column[]> {
  const toFailed = (target: StatusTarget) => (error: unknown) => {
    if (!(error instanceof CliError) || ['usage', 'invalid', 'interrupted'].includes(error.outcome)) throw error;
    return { ...target, error };
  };
  const opened = [];
  for (const [i, session] of sessions.entries()) {
    const profile = names[i] ?? null;
    opened.push({ session, profile, connection: await session.connect().catch(toFailed({ profile, target: null })) });
  }
  return Promise.all(
    opened.map(async ({ session, connection, ...column }): Promise<Column> => {
      if ('error' in connection) return connection;
      const target = { profile: column.profile ?? connection.profile ?? null, target: connection.target.name };
      const read = findLiveVersions(tree, connection, session);
      return read.then((live) => ({ ...target, ...live }), toFailed(target));
    }),
  );
}
