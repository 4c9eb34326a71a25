/** What bundling must know of the computer besides the formula's folder. */
import type { RepositoryLimits as RepositorySurroundings } from '../../files/repository.ts';

export interface BundleContext extends RepositorySurroundings {
  /** Folders whose files are never bundled: the tool's own. */
  excludedFolders: readonly string[];
  /** Files that have another content than on the disk, by their real paths; undefined for one that does not exist. */
  changed?: ReadonlyMap<string, Buffer | undefined>;
  /** Is told of each file of the repository before it is read, by its real path. */
  onRead?: (file: string) => void;
  /** The environment, of which git gets what it needs to find its settings. */
  env?: Readonly<Record<string, string | undefined>> | undefined;
}
