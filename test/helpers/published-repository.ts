/** Repositories of git whose formulas are published on an embedded service and committed. */
import { cpSync, mkdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { folderWith } from './folders.ts';
import { commit, GIT_PATH, git } from './git.ts';
import { type Machine, machine } from './machine.ts';
import { copyTemplate } from './templates.ts';

export interface PublishedRepository {
  cwd: string;
  /** The file of the service. */
  data: string;
  /** A computer that has state from then on. */
  author: Machine;
  /** A new computer without state, which works in the same folder unless another is passed. */
  runner(cwd?: string): Machine;
  /** The ids by name. */
  ids: ReadonlyMap<string, string>;
}

const MORE = { FORMULARY_TARGET: 'test', PATH: GIT_PATH };

/** A new copy of a repository with these files; its commit has the tag `published`. */
export async function publishedRepository(files: Record<string, string | Buffer>): Promise<PublishedRepository> {
  const { folder, result } = await copyTemplate(JSON.stringify(files), (template) => publish(template, files));
  const [cwd, data] = [join(folder, 'repository'), join(folder, 'service', 'local.db')];
  const runner = (place = cwd) => machine({ cwd: realpathSync(place), data, more: MORE });
  return { cwd, data, author: runner(), runner, ids: result };
}

/** Publishes and commits the files; gives the ids by name. */
async function publish(place: string, files: Record<string, string | Buffer>): Promise<ReadonlyMap<string, string>> {
  const [cwd, data] = [join(place, 'repository'), join(place, 'service', 'local.db')];
  cpSync(folderWith(files), cwd, { recursive: true });
  mkdirSync(dirname(data));
  const author = machine({ cwd, data, more: MORE });
  git(cwd, 'init', '-q', '-b', 'main');
  git(cwd, 'config', 'uploadpack.allowFilter', 'true');
  const { code, err } = await author('push .');
  if (code !== 0) throw new Error(err);
  commit(cwd, 'one');
  git(cwd, 'tag', 'published');
  const items: { name: string; id: string }[] = JSON.parse((await author('list --json')).out);
  return new Map(items.map(({ name, id }) => [name, id]));
}
