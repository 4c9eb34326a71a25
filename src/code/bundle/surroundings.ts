/** What bundling must know of the computer besides the formula's folder. */
import type { Surroundings as RepositorySurroundings } from '../../files/repository.ts';

export interface Surroundings extends RepositorySurroundings {
  /** Folders whose files are never bundled: the tool's own. */
  closed: readonly string[];
  /** Is told of each file of the repository before it is read, by its real path. */
  onRead?: (file: string) => void;
  /** The environment, of which git gets what it needs to find its settings. */
  env?: Readonly<Record<string, string | undefined>> | undefined;
}
