/** Finds which formula each folder of a push is, over all folders of its repositories. */
import { CliError } from '../../errors.ts';
import { toDisplayFolder } from '../../files/paths.ts';
import { isFormulaFolder } from '../../folder/find-folders.ts';
import { listFolders, MAX_FOLDERS } from '../../folder/find-lockfiles.ts';
import { readManifestName } from '../../folder/manifest.ts';
import { isSameCode } from '../../formula-fields.ts';
import type { Host } from '../../host/host.ts';
import type { Formula, FormulaBody } from '../../model.ts';
import { getSurroundings } from '../../state/xdg-paths.ts';
import { type Identity, identifyFolders, type NamedFolder } from '../identity.ts';
import { findTops } from '../link-files.ts';
import { findIgnoredFolders, listSkippedManifests } from '../skipped-folders.ts';
import type { Tracking } from '../tracking.ts';

export interface Identities {
  identities: ReadonlyMap<string, Identity>;
  /** All manifests of the repositories; only if the folders of some entries are gone. */
  manifests: readonly NamedFolder[];
}

interface IdentityContext {
  /** The folders that the command works on, with what is sent. */
  folders: readonly (NamedFolder & { body?: FormulaBody })[];
  roots: readonly string[];
  remotes: readonly Formula[];
  /** The ids of entries, by folder. */
  ids: ReadonlyMap<string, string>;
  missingFolders: ReadonlySet<string>;
  tracking: Pick<Tracking, 'copies' | 'elsewhere'>;
}

/**
 * The other folders of the repositories are read only if an entry alone does not tell which formula a folder is. Raises
 * invalid (3) for an id of two folders in two lock files.
 */
export async function findIdentities(context: IdentityContext, host: Host): Promise<Identities> {
  const { folders: locals, roots, missingFolders } = context;
  const tops = findTops(roots, host);
  const ids = await withoutIgnored(context, host);
  const remotes = context.remotes.filter(({ type }) => type !== 'official');
  const remotesById = new Map(remotes.map((remote) => [remote.id.toLowerCase(), remote]));
  const isPlain = ({ path, name }: NamedFolder) => remotesById.get(ids.get(path)?.toLowerCase() ?? '')?.name === name;
  const isDoubtful = ids.size > 0 && (missingFolders.size > 0 || !locals.every(isPlain));
  const manifests = isDoubtful ? tops.flatMap(readNames) : [];
  const skipped = isDoubtful ? (await Promise.all(tops.map((top) => listSkippedManifests(top, host)))).flat() : [];
  const ignored = await findIgnoredFolders(
    manifests.map(({ path }) => path),
    host.env,
  );
  const known = new Map(locals.map(({ path, name }) => [path, name]));
  const folders = [
    ...locals,
    ...manifests.filter(({ path }) => !known.has(path) && (ignored === 'failed' || !ignored.has(path))),
    ...skipped.filter(({ path }) => !known.has(path)),
  ];
  const codes = new Map<string, string | undefined>(
    locals.flatMap(({ path, body }) => (body ? [[path, body.code]] : [])),
  );
  const unread = new Set<string>();
  const hasCode = (path: string, id: string): boolean => {
    if (!codes.has(path)) unread.add(path);
    const [code, remote] = [codes.get(path), remotesById.get(id)];
    return code !== undefined && remote !== undefined && isSameCode(code, remote.code ?? '');
  };
  const entries = [...ids].map(([path, id]) => ({ path, id, isGone: missingFolders.has(path) }));
  const identify = () => identifyFolders({ folders, entries, remotes, hasCode });
  let identities = identify();
  while (unread.size > 0) {
    for (const path of unread) codes.set(path, await readCode(path, host));
    unread.clear();
    identities = identify();
  }
  return { identities, manifests: [...manifests, ...skipped] };
}

/** Folders of a commit are the formulas of their entries, also if they were moved or renamed since; otherwise a name decides. */
export function identifyCommitted({ folders, ids, remotes }: IdentityContext): Identities {
  const entries = [...ids].map(([path, id]) => ({ path, id, isGone: false }));
  const hasCode = (path: string, id: string) => ids.get(path)?.toLowerCase() === id;
  const privates = remotes.filter(({ type }) => type !== 'official');
  return { identities: identifyFolders({ folders, entries, remotes: privates, hasCode }), manifests: [] };
}

/** Entries without those of lock files that the search skips. */
async function withoutIgnored({ tracking, ids, folders }: IdentityContext, host: Host): Promise<Map<string, string>> {
  const ignored = await findIgnoredFolders(tracking.elsewhere, host.env);
  const isIgnored = (file: string) =>
    ignored !== 'failed' &&
    [...ignored].some((folder) => file.startsWith(`${folder}/`) || file.startsWith(`${folder}\\`));
  const paths = new Set(folders.map(({ path }) => path));
  const copy = tracking.copies.find(
    ({ entries }) =>
      entries.some(({ path }) => paths.has(path)) &&
      entries.every(({ path, file }) => !isIgnored(file) && isFormulaFolder(path)),
  );
  if (copy) {
    const [first, second] = copy.entries.map(({ path, file }) => `${toDisplayFolder(host.cwd(), path)} (${file})`);
    throw new CliError('invalid', `two folders have the id ${copy.id} in their lock files: ${first}, and ${second}`, {
      hint: 'Remove the entry of the copy from its lock file, and run the command again.',
    });
  }
  return new Map([...ids].filter(([path]) => !isIgnored(`${path}/`)));
}

const readNames = (top: string): NamedFolder[] =>
  [top, ...listFolders(top, MAX_FOLDERS).folders]
    .filter(isFormulaFolder)
    .map((path) => ({ path, name: readManifestName(path) }));

async function readCode(path: string, host: Host): Promise<string | undefined> {
  const { readFolderFormula } = await import('../../check/check-folder.ts');
  return (await readFolderFormula(path, getSurroundings(host))).code?.value;
}
