/** The key in what the built tool starts, and in what Node.js reports of its process. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CARD_MANIFEST, folderWith } from './helpers/folders.ts';
import { MARKED_KEYS, searchFor, textsBelow } from './helpers/marked-key.ts';

const TOOL = join(import.meta.dirname, '../bin/formulary.js');
const KEY = MARKED_KEYS[1];
const PASSWORD = 'Pw8Rt5Yu2Io9';

/** Looks about from inside: variables, arguments, and what the system shows of its own process. */
const SPY = `import { readFileSync } from 'node:fs';
const own = ['environ', 'cmdline'].flatMap((name) => { try { return [readFileSync('/proc/self/' + name, 'latin1')]; } catch { return []; } });
export default async () => ({ raw: { env: process.env, argv: process.argv, execArgv: process.execArgv, own } });
`;

/** A program that notes its arguments and variables, and then is the other one. */
function noting(program: string, notes: string): string {
  const path = join(folderWith(), 'program');
  writeFileSync(path, `#!/bin/sh\n{ echo "$0" "$@"; env; } >> '${notes}'\nexec '${program}' "$@"\n`);
  chmodSync(path, 0o755);
  return path;
}

describe.runIf(process.platform === 'linux')('the key, and the password of a proxy', () => {
  it('are in no argument and no variable of a process that the tool starts, and in no report of Node.js', () => {
    const home = folderWith({
      'spy/manifest.json': JSON.stringify(CARD_MANIFEST),
      'spy/code.ts': SPY,
      'spy/tests/one.json': JSON.stringify({
        args: { card: { number: '1' } },
        configuration: { BRANDS: 'a' },
        expect: { raw: {} },
      }),
      'report.cjs': `process.report.directory = __dirname; process.on('exit', () => process.report.writeReport('report.json'));`,
    });
    const [ofNode, ofBundler] = [join(home, 'node.txt'), join(home, 'esbuild.txt')];
    const bundler = createRequire(createRequire(TOOL).resolve('esbuild')).resolve(
      `@esbuild/${process.platform}-${process.arch}/bin/esbuild`,
    );
    const env = {
      PATH: process.env['PATH'] ?? '',
      FORMULARY_API_KEY: KEY,
      FORMULARY_SERVICE_KEY: KEY,
      FORMULARY_BASE_URL: 'http://127.0.0.1:1',
      HTTPS_PROXY: `http://user:${PASSWORD}@127.0.0.1:1`,
      ESBUILD_BINARY_PATH: noting(bundler, ofBundler),
      NODE_OPTIONS: `--require ${JSON.stringify(join(home, 'report.cjs'))}`,
    };
    const words = ['formula', 'test', 'spy', '--node', noting(process.execPath, ofNode), '--json'];
    const { stdout, stderr } = spawnSync(process.execPath, [TOOL, ...words], { cwd: home, env, encoding: 'utf8' });
    // The spy told what it saw, the wrappers what they were given, and the report was written with all variables.
    expect(stdout).toContain('"TZ');
    for (const file of [ofNode, ofBundler]) expect(existsSync(file)).toBe(true);
    expect(JSON.parse(readFileSync(join(home, 'report.json'), 'utf8')).environmentVariables.NODE_OPTIONS).toBeTruthy();
    for (const secret of [KEY, PASSWORD]) {
      const texts = [...textsBelow(home).map(({ text }) => text), stdout, stderr];
      expect(texts.flatMap(searchFor(secret))).toEqual([]);
    }
  });
});
