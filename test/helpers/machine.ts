/** Machines of users: each with its own state, and an embedded service that several may share. */
import { realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CARD_CODE, cardFiles, folderWith } from './folders.ts';
import { type HostOptions, type RunResult, run } from './test-host.ts';

export interface Machine {
  /** Runs `formulary formula …`; arguments in a string are separated by spaces. */
  (words: string | readonly string[], hostOptions?: HostOptions): Promise<RunResult>;
  cwd: string;
  env: Record<string, string>;
}

/** A machine with state of its own; `data` is the file of a service that another has too, `more` adds variables. */
export function machine({ cwd = folderWith(), data = join(folderWith(), 'local.db'), more = {} } = {}): Machine {
  const env = { XDG_STATE_HOME: folderWith(), FORMULARY_LOCAL_DATA: data, FORMULARY_PROFILE: 'local', ...more };
  const formulary = (words: string | readonly string[], hostOptions: HostOptions = {}) =>
    run(['formula', ...(typeof words === 'string' ? splitWords(words) : words)], { cwd, env, ...hostOptions });
  return Object.assign(formulary, { cwd, env });
}

/** Arguments separated by spaces, except for those in the path of the temporary folder. */
function splitWords(words: string): string[] {
  const temporary = realpathSync(tmpdir());
  return words
    .replaceAll(temporary, '\0')
    .split(' ')
    .map((word) => word.replaceAll('\0', temporary));
}

/** Creates formulas of these names on the service, from folders elsewhere; gives their ids. */
export async function created(formulary: Machine, ...names: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const name of names) {
    const { code, out, err } = await formulary(`create ${folderWith(cardFiles({ name }))} --allow-duplicate --json`);
    if (code !== 0) throw new Error(err);
    ids.push(JSON.parse(out).id);
  }
  return ids;
}

/** Changes the code of a formula on the service, on another machine. */
export async function changedElsewhere({ env }: Machine, id: string, manifest: object = {}): Promise<void> {
  const other = machine({ data: env['FORMULARY_LOCAL_DATA'] ?? '' });
  const folder = folderWith(cardFiles(manifest, { 'code.js': `${CARD_CODE}// theirs\n` }));
  const { code, err } = await other(`update ${id} ${folder}`);
  if (code !== 0) throw new Error(err);
}
