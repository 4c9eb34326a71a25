/** A repository on a Git server, and the service that its pipelines publish to. */
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createApp } from '../../src/service/app.ts';
import { createApplication, createFirstApplication } from '../../src/service/applications.ts';
import { listen } from '../../src/service/listen.ts';
import { openStore } from '../../src/service/store/store.ts';
import { CARD_CODE, cardFiles, folderWith } from '../helpers/folders.ts';
import { run } from '../helpers/test-host.ts';

export const ROOT = join(import.meta.dirname, '../..');
const TOOL = join(ROOT, 'bin/formulary.js');
const KEY = 'key_0123456789abcdefghijABCDEFGHIJ01';
const READ_KEY = 'key_0123456789abcdefghijABCDEFGHIJ02';

export type Environment = Record<string, string>;

export interface ScriptResult {
  code: number | null;
  /** stdout and stderr together, as the log of a runner shows them. */
  log: string;
}

export interface Repository {
  /** The repository on the server; a job may push to it with MAY_PUSH=1 in its environment. */
  origin: string;
  url: string;
  /** A key that may write, and one that may only read. */
  key: string;
  readKey: string;
  /** Adds a commit with these files, or symbolic links, to a branch, which starts at main. */
  commit(files: Record<string, string>, branch?: string, areLinks?: boolean): Promise<void>;
  /** Adds a commit to main that removes a folder. */
  remove(folder: string): Promise<void>;
  /** What git prints for the repository on the server. */
  git(...args: string[]): Promise<string>;
  /** The formulas on the service. */
  published(): Promise<{ id: string; name: string }[]>;
  /** The code of the formula of this name on the service. */
  code(name: string): Promise<string>;
  /** Creates a formula of this name on the service, from no folder of the repository. */
  createElsewhere(name: string): Promise<void>;
  /** Changes the code of the formula of this name on the service, from no folder of the repository. */
  changeElsewhere(name: string): Promise<void>;
  /** Deletes the formula of this name on the service. */
  deleteElsewhere(name: string): Promise<void>;
  /** The environment of a new computer with bash, git, npm, and Node.js. */
  computer(): Environment;
  /** A clone of a ref, or commit, with the complete history. */
  checkout(ref: string): Promise<string>;
  /** The calls of npm, and the keys that it could have read. */
  installed(): string[];
  /** A script that runs once, right after the next push to the service. */
  meanwhile(script: string): void;
}

/** A repository with formulas of these names in `formulas/`, on the branch main. */
export async function repository(...names: string[]): Promise<Repository> {
  const service = await startService();
  const root = folderWith({ installed: '' });
  const origin = join(root, 'origin.git');
  const computer = () => newComputer(join(root, 'installed'), join(root, 'meanwhile'));
  const developer = computer();
  const git = (args: readonly string[], input = '') =>
    runOrThrow('git', args, { cwd: root, env: { ...developer, GIT_DIR: origin }, input });
  await git(['init', '-q', '--bare', '--template=', '-b', 'main', origin]);
  await git(['config', 'uploadpack.allowAnySHA1InWant', 'true']);
  executable(join(origin, 'hooks/pre-receive'), '[ "$MAY_PUSH" = 1 ] || { echo "this job may not push" >&2; exit 1; }');
  await git(['fast-import', '--quiet'], commitStream('main', undefined, 'First commit', formulaFiles(...names)));
  const branches = new Set(['main']);
  const env = { FORMULARY_BASE_URL: service.url, FORMULARY_API_KEY: KEY, XDG_STATE_HOME: folderWith() };
  const asUser = async (...words: string[]) => {
    const { code, err } = await run(['formula', ...words], { env });
    if (code !== 0) throw new Error(err);
  };
  return {
    origin,
    url: service.url,
    key: KEY,
    readKey: READ_KEY,
    commit: async (files, branch = 'main', areLinks = false) => {
      const from = branches.has(branch) ? branch : 'main';
      await git(
        ['fast-import', '--quiet'],
        commitStream(branch, from, 'A change', files, areLinks ? '120000' : undefined),
      );
      branches.add(branch);
    },
    remove: async (folder) => {
      await git(['fast-import', '--quiet'], `${commitStream('main', 'main', 'Remove a folder', {})}D ${folder}\n`);
    },
    git: async (...args) => (await git(args)).trim(),
    published: async () => JSON.parse((await run('formula list --json --fields name,id'.split(' '), { env })).out),
    code: async (name) => (await run(['formula', 'get', name, '--code'], { env })).out,
    createElsewhere: (name) => asUser('create', folderWith(cardFiles({ name })), '--allow-duplicate'),
    changeElsewhere: (name) =>
      asUser('update', name, folderWith(cardFiles({ name }, { 'code.js': `${CARD_CODE}// theirs\n` }))),
    deleteElsewhere: (name) => asUser('delete', name, '--yes'),
    computer,
    checkout: async (ref) => {
      const folder = join(folderWith(), 'checkout');
      const script = `git clone -q --no-checkout "file://${origin}" "${folder}" && cd "${folder}" && git fetch -q origin "${ref}" && git checkout -q --detach FETCH_HEAD`;
      const { code, log } = await bash(script, root, developer);
      if (code !== 0) throw new Error(log);
      return folder;
    },
    installed: () => readFileSync(join(root, 'installed'), 'utf8').split('\n').slice(0, -1),
    meanwhile: (script) => executable(join(root, 'meanwhile'), script),
  };
}

/** A commit as `git fast-import` reads it. */
function commitStream(
  branch: string,
  from: string | undefined,
  message: string,
  files: Record<string, string>,
  mode = '100644',
): string {
  const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`;
  const changes = Object.entries(files).map(([path, text]) => `M ${mode} inline ${path}\n${data(text)}`);
  return [
    `commit refs/heads/${branch}\ncommitter A developer <developer@localhost> 1700000000 +0000\n`,
    data(message),
    ...(from === undefined ? [] : [`from refs/heads/${from}^0\n`]),
    ...changes,
  ].join('');
}

/** The files of formulas in `formulas/`; each is named like its folder. */
export const formulaFiles = (...names: string[]): Record<string, string> =>
  Object.assign({}, ...names.map((name) => renamed(name, name)));

/** The files of the formula in `formulas/<folder>` under a name. */
export const renamed = (folder: string, name: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(cardFiles({ name })).map(([file, text]) => [`formulas/${folder}/${file}`, String(text)]),
  );

/** Runs a script with bash, as runners do, and waits for its end. */
export const bash = (script: string, cwd: string, env: Environment): Promise<ScriptResult> =>
  runProgram('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script], { cwd, env });

interface Launch {
  cwd: string;
  env: Environment;
  input?: string;
}

function runProgram(program: string, args: readonly string[], { cwd, env, input = '' }: Launch): Promise<ScriptResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env });
    let log = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        log += text;
      });
    child.on('error', reject).on('close', (code) => resolve({ code, log }));
    // A program that reads no input may have closed it.
    child.stdin.on('error', () => undefined).end(input);
  });
}

async function runOrThrow(program: string, args: readonly string[], launch: Launch): Promise<string> {
  const { code, log } = await runProgram(program, args, launch);
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} exited ${code}: ${log}`);
  return log;
}

async function startService(): Promise<{ url: string }> {
  const store = await openStore(join(folderWith(), 'service.db'));
  createFirstApplication(store, KEY, new Date());
  const permissions = ['reactor:read'];
  createApplication(store, { name: 'plans', type: 'management', permissions, key: READ_KEY, now: new Date() });
  const service = await listen(createApp(store, { now: () => new Date() }), 0);
  onTestFinished(async () => {
    await service.close();
    store.close();
  });
  return { url: service.baseUrl };
}

/** `npm` puts the built tool on the PATH; after a push to the service, that runs the script `meanwhile`. */
function newComputer(notes: string, meanwhile: string): Environment {
  const home = folderWith();
  const bin = join(home, 'bin');
  executable(
    join(home, 'formulary'),
    `"${process.execPath}" "${TOOL}" "$@"; code=$?
case "$*" in
  *--dry-run*) ;;
  "formula push"*) if [ -x "${meanwhile}" ]; then mv "${meanwhile}" "${meanwhile}.run"; "${meanwhile}.run" >&2; fi ;;
esac
exit $code`,
  );
  executable(
    join(bin, 'npm'),
    `echo "npm $* key=\${FORMULARY_API_KEY:-none}" >> "${notes}"; cp "${home}/formulary" "${bin}/"`,
  );
  symlinkSync(process.execPath, join(bin, 'node'));
  return {
    PATH: `${bin}:${process.env['PATH']}`,
    HOME: home,
    XDG_STATE_HOME: join(home, 'state'),
    XDG_CONFIG_HOME: join(home, 'config'),
    GIT_CONFIG_NOSYSTEM: '1',
    CI: 'true',
  };
}

function executable(file: string, script: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
}
