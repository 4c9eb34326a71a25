/**
 * `npm run test:anywhere`: the test suite in an unusual place: in a clone whose path has spaces and accents,
 * in a folder that nobody else can enter, under umask 077, in another language and time zone. As root it runs
 * twice: as root, and as an ordinary user without a name.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const ORDINARY = { uid: 54_321, gid: 54_321 };
const PLACE = { LANG: 'de_DE.UTF-8', LC_ALL: 'tr_TR.UTF-8', TZ: 'Pacific/Apia' };

const isRoot = process.geteuid?.() === 0;
process.umask(0o077);
for (const [name, user] of Object.entries({
  ...(isRoot && { root: {} }),
  'an ordinary user': isRoot ? ORDINARY : {},
})) {
  const home = mkdtempSync(join(tmpdir(), 'formulary-anywhere-'));
  try {
    const clone = join(home, 'ein schöner Pfad', 'formulary é');
    copyTo(clone);
    chmodSync(home, 0o700);
    if ('uid' in user) execFileSync('chown', ['-R', `${user.uid}:${user.gid}`, home]);
    const { status } = spawnSync(
      process.execPath,
      ['node_modules/vitest/vitest.mjs', 'run', ...process.argv.slice(2)],
      {
        cwd: clone,
        // npm, which may run this, names the cache of its own user.
        env: { ...process.env, ...PLACE, HOME: home, npm_config_cache: join(home, '.npm') },
        stdio: 'inherit',
        ...user,
      },
    );
    console.log(`${status === 0 ? 'ok ' : 'failed'}  as ${name}, in ${clone}`);
    if (status !== 0) process.exitCode = 1;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** The files of git and those it does not ignore, with what is built and installed, as this user's umask makes them. */
function copyTo(clone) {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  const files = listed.split('\0').filter((file) => file !== '' && existsSync(join(ROOT, file)));
  const nodes = readdirSync(join(ROOT, 'test')).filter((name) => /^node\d+$/.test(name));
  const made = ['dist', 'src/generated', 'node_modules', ...nodes.map((name) => `test/${name}/node_modules`)];
  for (const file of [...files, ...made.filter((folder) => existsSync(join(ROOT, folder)))]) {
    mkdirSync(dirname(join(clone, file)), { recursive: true });
    cpSync(join(ROOT, file), join(clone, file), { recursive: true, verbatimSymlinks: true });
  }
  execFileSync('chmod', ['-R', 'go-rwx', clone]);
}
