/** Repositories of git whose formulas are published on an embedded service and committed. */
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll } from 'vitest';
import { folderWith } from './folders.ts';
import { commit, GIT_PATH, git } from './git.ts';
import { type Machine, machine } from './machine.ts';

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

type Template = Omit<PublishedRepository, 'author' | 'runner'>;

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

const templates = new Map<string, Promise<Template>>();

const MORE = { FORMULARY_TARGET: 'test', PATH: GIT_PATH };

/** A new copy of a repository with these files; its commit has the tag `published`. */
export async function publishedRepository(files: Record<string, string | Buffer>): Promise<PublishedRepository> {
  const key = JSON.stringify(files);
  const template = templates.get(key) ?? publish(files);
  templates.set(key, template);
  const { cwd, data, ids } = await template;
  const copy = folderWith();
  cpSync(cwd, copy, { recursive: true, preserveTimestamps: true });
  const service = folderWith();
  cpSync(dirname(data), service, { recursive: true });
  const file = join(service, 'local.db');
  const runner = (place = copy) => machine({ cwd: realpathSync(place), data: file, more: MORE });
  return { cwd: copy, data: file, author: runner(), runner, ids };
}

async function publish(files: Record<string, string | Buffer>): Promise<Template> {
  // Folders of a test are removed after it.
  const place = mkdtempSync(join(realpathSync(tmpdir()), 'formulary-published-'));
  folders.push(place);
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
  const ids = new Map(items.map(({ name, id }) => [name, id]));
  return { cwd, data, ids };
}
