/** The completion scripts in the real shells, with the built tool on the PATH. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { folderWith } from '../helpers/folders.ts';
import { pathWithTool } from '../helpers/tool-on-path.ts';

const SCRIPT = '/usr/bin/script';
const BASH_COMPLETION = '/usr/share/bash-completion/bash_completion';

/** Whether the tests of a shell can run; prints a note if not. */
function isThere(shell: string, ...files: string[]): boolean {
  const isIt = spawnSync(shell, ['--version']).status === 0 && files.every((file) => existsSync(file));
  if (!isIt) process.stderr.write(`skipped: completion in ${shell} (missing: ${[shell, ...files].join(' or ')})\n`);
  return isIt;
}

/** A folder with formula folders whose names would do harm if a shell ran them. */
function hostilePlace(): string {
  const place = folderWith({ 'file.json': '{}' });
  for (const name of ['my formula', '$(touch harm)', 'a;touch harm', '`touch harm`']) mkdirSync(join(place, name));
  return place;
}

/** Types lines on a terminal, each with a Tab at its end, and gives the words that they became. */
async function typedIn(start: string, setUp: string, cwd: string, lines: readonly string[]): Promise<string[]> {
  const child = spawn(SCRIPT, ['-qefc', start, '/dev/null'], {
    cwd,
    env: { PATH: pathWithTool(), HOME: cwd, SHELL: '/bin/sh', TERM: 'xterm', INPUTRC: '/dev/null' },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let screen = '';
  child.stdout.on('data', (chunk) => {
    screen += chunk;
  });
  // Ctrl-A goes to the beginning of the line, so that the finished line is shown instead of run.
  const typed = lines.map((line) => `${line}\t\x01show \r`);
  child.stdin.write(`show() { printf '<%s>' "$@"; echo; }; ${setUp}\r${typed.join('')}exit\r`);
  await new Promise((done) => child.once('close', done));
  return [...screen.matchAll(/^(<formulary>.*>)\r?$/gm)].map(([, words = '']) => words);
}

/** Lines with the words that a Tab at their end makes of them. */
const BECOMES: readonly (readonly [line: string, words: string])[] = [
  ['formulary for', '<formulary><formula>'],
  ['formulary formula validate my', '<formulary><formula><validate><my formula/>'],
  ['formulary formula validate \\$', '<formulary><formula><validate><$(touch harm)/>'],
  ['formulary formula validate a', '<formulary><formula><validate><a;touch harm/>'],
  ['formulary formula create f', '<formulary><formula><create><f>'],
  ['formulary formula list --output=c', '<formulary><formula><list><--output=csv>'],
  ['formulary formula list -o c', '<formulary><formula><list><-o><csv>'],
  [
    'formulary service application create --permission token:c',
    '<formulary><service><application><create><--permission><token:create>',
  ],
  ['formulary formula validate --report j', '<formulary><formula><validate><--report><junit=>'],
  ['formulary formula validate --report junit=f', '<formulary><formula><validate><--report><junit=file.json>'],
  ['formulary formula run --args @f', '<formulary><formula><run><--args><@file.json>'],
  ['formulary formula run --bt f', '<formulary><formula><run><--bt><file.json>'],
];

const SHELLS = [
  ['bash', 'bash --norc --noprofile -i', 'eval "$(formulary completion bash)"', isThere('bash', SCRIPT)],
  [
    'bash with the bash-completion package',
    'bash --norc --noprofile -i',
    `source ${BASH_COMPLETION}; eval "$(formulary completion bash)"`,
    isThere('bash', SCRIPT, BASH_COMPLETION),
  ],
  ['zsh', 'zsh -f -i', 'eval "$(formulary completion zsh)"', isThere('zsh', SCRIPT)],
] as const;

describe.runIf(process.platform === 'linux')('completion', () => {
  for (const [shell, start, setUp, canRun] of SHELLS) {
    it.runIf(canRun)(`in ${shell} completes words, and runs nothing in them`, async () => {
      const place = hostilePlace();
      const shown = await typedIn(
        start,
        setUp,
        place,
        BECOMES.map(([line]) => line),
      );
      // zsh removes the slash after a folder if the line continues.
      const withoutSlash = (words: string) => words.replaceAll('/>', '>');
      expect(shown.map(withoutSlash)).toEqual(BECOMES.map(([, words]) => withoutSlash(words)));
      expect(readdirSync(place)).not.toContain('harm');
    });
  }

  it.runIf(isThere('fish'))('in fish offers words, and runs nothing in them', () => {
    const place = hostilePlace();
    const complete = 'formulary completion fish | source; for line in $argv; complete -C $line; echo ==; end';
    const lines = [
      'formulary formula pu',
      'formulary formula list --output=c',
      'formulary service application create --permission token:c',
      'formulary formula validate m',
      'formulary formula validate "$(touch harm)" a',
      'formulary formula validate \\$',
      'formulary formula validate --report junit=f',
      'formulary formula run --bt f',
      'formulary formula get ',
    ];
    const { stdout, stderr } = spawnSync('fish', ['--no-config', '-c', complete, ...lines], {
      cwd: place,
      encoding: 'utf8',
      // In a locale of ASCII alone fish finds nothing below a folder whose name is not ASCII.
      env: { PATH: pathWithTool(), HOME: place, TERM: 'xterm', LC_ALL: 'C.UTF-8' },
    });
    expect(stderr).toBe('');
    expect(stdout.split('==\n').map((text) => text.trim().split('\n'))).toEqual([
      ['pull\tDownload formulas', 'push\tPublish formulas'],
      ['--output=csv'],
      ['token:create\tCreate tokens'],
      ['my formula/'],
      ['a;touch harm/'],
      ['$(touch harm)/'],
      ['junit=file.json'],
      ['file.json'],
      [''],
      [''],
    ]);
    expect(readdirSync(place)).not.toContain('harm');
  });
});
