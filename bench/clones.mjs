// Clones of one repository on several computers, whose folders are edited, committed, pushed, and pulled by the real tool.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf, versionIn } from './clone-model.mjs';

const TOOL = join(import.meta.dirname, '../bin/formulary.js');
const LOCK = 'formulas.lock.json';
const TARGET = 'storm';

const gitIn = (cwd, ...args) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, GIT_CONFIG_GLOBAL: '/dev/null' },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });

/** An empty repository that clones push to. */
export function createOrigin(place) {
  const origin = join(place, 'origin.git');
  mkdirSync(origin);
  gitIn(origin, 'init', '-q', '--bare', '-b', 'main');
  return origin;
}

/** Writes a formula folder. */
export function writeFolder(dir, name, version) {
  mkdirSync(join(dir, name), { recursive: true });
  const manifest = { name, type: 'private', configuration: [], request_parameters: [] };
  writeFileSync(join(dir, name, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  writeFileSync(join(dir, name, 'code.js'), codeOf(name, version));
}

/** A clone of the repository on a computer with the home folder `home`. */
export class Clone {
  #env;
  #committed = new Map();

  constructor(place, origin, home, key, url) {
    this.key = key;
    this.home = home;
    // The state has no path that contains the key.
    this.dir = join(mkdtempSync(join(place, 'clone-')), 'clone');
    gitIn(place, 'clone', '-q', origin, this.dir);
    this.#env = {
      PATH: process.env.PATH,
      HOME: home,
      FORMULARY_API_KEY: key,
      FORMULARY_TARGET: TARGET,
      FORMULARY_BASE_URL: url,
    };
  }

  git = (...args) => gitIn(this.dir, ...args);

  names = () =>
    readdirSync(this.dir, { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() && entry.name !== '.git' ? [entry.name] : [],
    );

  version = (name) => versionIn(readFileSync(join(this.dir, name, 'code.js'), 'utf8'));

  /** The versions of a folder in HEAD and in its last 20 commits. */
  committedVersions(name) {
    const head = this.git('rev-parse', 'HEAD').trim();
    const known = this.#committed.get(name);
    if (known?.head === head) return known.versions;
    const log = this.git('log', '-m', '--full-history', '-40', '--format=%H', 'HEAD', '--', name);
    const commits = [...new Set(log.split('\n').filter(Boolean))].slice(0, 20);
    const versions = commits.map((id) => versionIn(this.#show(`${id}:${name}/code.js`)));
    this.#committed.set(name, { head, versions });
    return versions;
  }

  #show(object) {
    try {
      return this.git('show', object);
    } catch {
      return '';
    }
  }

  commit(message) {
    this.git('add', '-A');
    if (this.git('status', '--porcelain') !== '') this.git('commit', '-q', '-m', message);
  }

  /** Commits, merges what others pushed (of a folder that both changed the version of `side`), and pushes. */
  sync(side) {
    this.commit(`work of ${this.key}`);
    const own = this.#lockEntries(() => readFileSync(join(this.dir, LOCK), 'utf8'));
    try {
      this.git('pull', '-q', '--no-rebase', '--no-edit', '-X', side, 'origin', 'main');
    } catch {
      // Both added a file.
      this.git('checkout', '-q', `--${side}`, '.');
    }
    const entries = { ...this.#lockEntries(() => this.git('show', `FETCH_HEAD:${LOCK}`)), ...own };
    writeFileSync(join(this.dir, LOCK), `${JSON.stringify({ version: 1, targets: { [TARGET]: entries } }, null, 2)}\n`);
    this.commit('merge');
    this.git('push', '-q', 'origin', 'HEAD:main');
  }

  #lockEntries(read) {
    try {
      return JSON.parse(read()).targets[TARGET] ?? {};
    } catch {
      return {};
    }
  }

  /** Runs `formulary formula …`; `onStart` gets a function that kills it. */
  run = (words, onStart) => runTool(words, { cwd: this.dir, env: this.#env }, onStart);
}

function runTool(words, { cwd, env }, onStart) {
  const limits = ['--timeout', '10', '--retry-timeout', '5'];
  const child = spawn(process.execPath, [TOOL, 'formula', ...words, '--json', ...limits], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onStart?.(() => child.kill('SIGKILL'));
  const texts = ['', ''];
  for (const [i, stream] of [child.stdout, child.stderr].entries())
    stream.setEncoding('utf8').on('data', (text) => {
      texts[i] += text;
    });
  return new Promise((done) =>
    child.once('close', (code) => {
      const [out, stderr] = texts;
      done({ code, stderr, document: parseDocument(out) });
    }),
  );
}

function parseDocument(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
