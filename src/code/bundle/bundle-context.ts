/** The environment of a bundle. */
import type { RepositoryLimits as RepositorySurroundings } from '../../files/repository.ts';

export interface BundleContext extends RepositorySurroundings {
  /** The tool's own folders, whose files are never bundled. */
  excludedFolders: readonly string[];
  /** Files that have another content than on the disk, by their real paths; undefined for one that does not exist. */
  changed?: ReadonlyMap<string, Buffer | undefined>;
  /** Called before each file of the repository is read, with its real path. */
  onRead?: (file: string) => void;
  /** The environment variables, from which git gets those that locate its settings. */
  env?: Readonly<Record<string, string | undefined>> | undefined;
}
