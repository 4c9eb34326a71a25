// Clones of a repository for bench/everyday-git.mjs. A formula has its lineage as description, and a version in its code.
import { execFile, execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

const TOOL = join(import.meta.dirname, '../bin/formulary.js');
const LOCK = 'f/formulas.lock.json';

export const codeOf = (version) => `module.exports = async () => ({ raw: {} });\n// v${version};\n`;
export const versionIn = (code) => Number(/\/\/ v(\d+);/.exec(code ?? '')?.[1] ?? 0);
/** Later codes and names have larger numbers. */
export const agesOf = ({ code, name } = {}) => [versionIn(code), Number(name?.slice(1) ?? 0)];
const parseEntries = (text) => JSON.parse(text ?? '{}').targets?.main ?? {};

/** A clone of `place`/origin on a computer with the home folder `home`; a worktree, if `dir` exists. */
export class EverydayClone {
  /** The versions that its folders and the service had in common, by folder and id. */
  known = new Map();

  constructor(place, home, { dir, options = [] } = {}) {
    this.place = place;
    this.home = home;
    this.dir = dir ?? join(mkdtempSync(join(place, 'clone-')), 'r');
    if (dir === undefined)
      execFileSync('git', ['clone', '-q', ...options, `file://${place}/origin`, this.dir], { stdio: 'ignore' });
  }

  git(...args) {
    return execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', '-c', 'gc.auto=0', ...args], {
      cwd: this.dir,
      env: { PATH: process.env.PATH, HOME: this.place, GIT_CONFIG_GLOBAL: '/dev/null', GIT_EDITOR: 'true' },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  }

  /** Undefined where git fails. */
  tryGit(...args) {
    try {
      return this.git(...args);
    } catch {
      return undefined;
    }
  }

  exists = (path) => existsSync(join(this.dir, path));

  folders(at = 'f') {
    if (!this.exists(at)) return [];
    return readdirSync(join(this.dir, at), { withFileTypes: true }).flatMap((entry) => {
      const path = `${at}/${entry.name}`;
      if (!entry.isDirectory()) return [];
      return this.exists(`${path}/manifest.json`) ? [path] : this.folders(path);
    });
  }

  read = (path, file) => readFileSync(join(this.dir, path, file), 'utf8');
  lineage = (path) => JSON.parse(this.read(path, 'manifest.json')).description;
  ages = (path) =>
    agesOf({ code: this.read(path, 'code.js'), name: JSON.parse(this.read(path, 'manifest.json')).name });

  /** Of all folders, also of those that a sparse checkout skips. */
  lineages() {
    const files = (this.tryGit('ls-files', '-t') ?? '').split('\n').filter((line) => /^S .*manifest\.json$/.test(line));
    const skipped = files.map((line) => JSON.parse(this.git('show', `:${line.slice(2)}`)).description);
    return [...this.folders().map(this.lineage), ...skipped];
  }

  write(path, { name, lineage, code }) {
    mkdirSync(join(this.dir, path), { recursive: true });
    const manifest = { name, description: lineage, type: 'private', configuration: [], request_parameters: [] };
    writeFileSync(join(this.dir, path, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
    if (code !== undefined) writeFileSync(join(this.dir, path, 'code.js'), code);
  }

  move(from, to) {
    mkdirSync(dirname(join(this.dir, to)), { recursive: true });
    renameSync(join(this.dir, from), join(this.dir, to));
  }

  commit(message) {
    this.git('add', '-A');
    this.tryGit('commit', '-q', '-m', message);
  }

  lock = () => (this.exists(LOCK) ? parseEntries(this.read('', LOCK)) : {});

  /** Merges or rebases, and pushes. What does not merge is given up. */
  sync(isRebase) {
    this.commit('work');
    this.git('fetch', '-q', 'origin');
    const own = this.lock();
    const [base, theirs] = [this.git('merge-base', 'HEAD', 'origin/main').trim(), 'origin/main'].map((commit) =>
      parseEntries(this.tryGit('show', `${commit}:${LOCK}`)),
    );
    const how = isRebase ? ['rebase', '-q', '-X', 'theirs'] : ['merge', '-q', '--no-edit', '-X', 'ours'];
    const isMerged = this.tryGit(...how, 'origin/main') !== undefined;
    if (isMerged) {
      this.#removeDoubles();
      const keys = [...new Set([...Object.keys(own), ...Object.keys(theirs)])].sort();
      const merged = keys.map((key) => [key, (own[key]?.id === base[key]?.id ? theirs : own)[key]]);
      const main = Object.fromEntries(merged.filter(([, entry]) => entry));
      writeFileSync(join(this.dir, LOCK), `${JSON.stringify({ version: 1, targets: { main } }, null, 2)}\n`);
    } else {
      this.tryGit(how[0], '--abort');
      this.git('reset', '-q', '--hard', 'origin/main');
    }
    this.commit('merge');
    this.git('push', '-q', 'origin', 'HEAD:main');
    return isMerged;
  }

  /** Both sides moved a folder: one place is kept. */
  #removeDoubles() {
    const found = new Set();
    for (const path of this.folders()) {
      const lineage = this.lineage(path);
      if (found.has(lineage)) rmSync(join(this.dir, path), { recursive: true });
      found.add(lineage);
    }
  }

  /** Whether commits of HEAD added or removed the code and the name of a formula. */
  hasInHistory = ({ code, name }) =>
    [`// v${versionIn(code)};`, `"name": ${JSON.stringify(name)}`].every((text) =>
      Boolean(this.tryGit('log', '-1', '--format=%h', '-G', text, 'HEAD', '--', 'f')),
    );

  /** Runs `formulary formula …`. */
  run(words, url) {
    const env = { PATH: process.env.PATH, HOME: this.home, FORMULARY_API_KEY: 'key_of_everyday_git' };
    const options = { cwd: this.dir, env: { ...env, FORMULARY_TARGET: 'main', FORMULARY_BASE_URL: url } };
    return new Promise((done) =>
      execFile(process.execPath, [TOOL, 'formula', ...words, '--json'], options, (error, out, err) =>
        done({ code: error ? error.code : 0, err, items: out.startsWith('{') ? (JSON.parse(out).items ?? []) : [] }),
      ),
    );
  }
}
