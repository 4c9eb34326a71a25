/**
 * Types the commands of the README's "Quick tour" on a terminal, and writes what they answer into the README and, as a
 * picture of the screen, to docs/session.svg. `npm run docs:session`; with a folder it writes both files there instead.
 * Needs Linux with `script` of util-linux.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import xterm from '@xterm/headless';
import { picture } from './picture.mjs';

const ROOT = join(import.meta.dirname, '..');
const COLUMNS = 100;
const BLOCK = /(## Quick tour\n.*?```console\n)(.*?)(```\n)/s;

/** What is another each time, and what stands for it: as long where it can, so that tables keep their shape. */
const FIXED = [
  [/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, '0b6f8a3e-5c1d-4e7a-9b32-6d8f1a2c4e50'],
  [/\(\d+ ms\)/g, '(52 ms)'],
  [/running on Node\.js [\d.]+\d/g, 'running on Node.js 20.20.2'],
];

const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
const [, , block = ''] = BLOCK.exec(readme) ?? [];
const typed = [...block.matchAll(/^\$ (.+)$/gm)].map(([, line]) => line);
const to = process.argv[2];
const screen = await shown(await said(typed));
const text = linesOf(screen).map((line) => `${line}\n`);
writeFileSync(
  to ? join(to, 'README.md') : join(ROOT, 'README.md'),
  readme.replace(BLOCK, (_, before, _old, after) => before + text.join('') + after),
);
writeFileSync(join(to ?? import.meta.dirname, 'session.svg'), picture(screen.buffer.active, COLUMNS));

/** All that a terminal gets to show while the lines are typed, in an empty home with `formulary` on the PATH. */
async function said(lines) {
  const place = mkdtempSync(join(tmpdir(), 'formulary-session-'));
  try {
    const bin = join(place, 'bin');
    const home = join(place, 'home');
    for (const folder of [bin, home]) mkdirSync(folder);
    const tool = join(bin, 'formulary');
    writeFileSync(tool, `#!/bin/sh\nexec "${process.execPath}" "${join(ROOT, 'bin/formulary.js')}" "$@"\n`);
    chmodSync(tool, 0o755);
    const prompts = lines.map(
      (line) => `printf '\\033[1;32m$\\033[0m %s\\n' '${line.replaceAll("'", "'\\''")}'\n${line}`,
    );
    writeFileSync(join(place, 'session.sh'), `stty cols ${COLUMNS} rows 50\n${prompts.join('\n')}\n`);
    const child = spawn('script', ['-qec', `sh '${join(place, 'session.sh')}'`, '/dev/null'], {
      cwd: home,
      env: { PATH: `${bin}:/usr/bin:/bin`, HOME: home, SHELL: '/bin/sh', TERM: 'xterm' },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      output += chunk;
    });
    await once(child, 'close');
    return FIXED.reduce((all, [found, fixed]) => all.replace(found, fixed), output);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** The terminal after it got the output. */
async function shown(output) {
  const terminal = new xterm.Terminal({ cols: COLUMNS, rows: 50, scrollback: 1000, allowProposedApi: true });
  await new Promise((done) => terminal.write(output, done));
  return terminal;
}

/** What stands on the screen, lines that were wrapped joined again. */
function linesOf({ buffer: { active } }) {
  const lines = [];
  for (let y = 0; y < active.baseY + active.cursorY; y++) {
    const line = active.getLine(y);
    const shown = line.translateToString(false);
    if (line.isWrapped) lines.push(lines.pop() + shown);
    else lines.push(shown);
  }
  return lines.map((line) => line.trimEnd());
}
