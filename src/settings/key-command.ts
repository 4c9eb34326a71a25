/** Runs the command of a profile that prints its API key. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { parse } from 'node:path';
import { CliError } from '../errors.ts';
import { type Host, KEY_VARIABLES } from '../host/host.ts';
import { escapeControls } from '../output/escape.ts';
import { type ApiKey, parseApiKey, REDACTED } from '../secrets/api-key.ts';

const TIMEOUT_MS = 10_000;
/** The user may have to unlock a keychain. */
const TERMINAL_TIMEOUT_MS = 60_000;
const MAX_OUTPUT_BYTES = 64 * 1024;

/**
 * Splits a command at spaces, with the quotes of a POSIX shell and no expansion; on Windows a backslash is an ordinary
 * character. Raises usage (2) for an empty command, an open quote, and a batch file, which Windows runs in a shell.
 */
export function parseKeyCommand(command: string, platform: string): [program: string, ...args: string[]] {
  const isWindows = platform === 'win32';
  // In single quotes, in double quotes, escaped, or plain.
  const part = isWindows
    ? /'([^']*)'|"([^"]*)"|(?!)()|[^\s'"]+/g
    : /'([^']*)'|"((?:\\[\s\S]|[^"\\])*)"|\\([\s\S])|[^\s'"\\]+/g;
  const word = new RegExp(`(?:${part.source})+`, 'g');
  if (command.replace(word, '').trim() !== '')
    throw new CliError('usage', '--key-command has a quote that is not closed', { hint: EXAMPLE });
  const unquote = (quoted: string) => (isWindows ? quoted : quoted.replace(/\\(["\\$`])/g, '$1'));
  const words = (command.match(word) ?? []).map((text) =>
    text.replace(part, (plain, single, double, escaped) =>
      double === undefined ? (single ?? escaped ?? plain) : unquote(double),
    ),
  );
  const [program, ...args] = words;
  if (!program) throw new CliError('usage', '--key-command must be a command (got an empty string)', { hint: EXAMPLE });
  if (isWindows && /\.(cmd|bat)$/i.test(program)) {
    throw new CliError('usage', `--key-command must not be a batch file (got ${program})`, {
      hint: `Use: cmd /c ${program}`,
    });
  }
  return [program, ...args];
}

const EXAMPLE = "Example: --key-command 'op read op://team/formulary/key'";

const keys = new WeakMap<Host, Map<string, ApiKey>>();

/** Runs the command of a profile, once per run. Raises denied (4) if it prints no key; its output is never shown. */
export function runKeyCommand(
  command: string,
  profile: string,
  host: Host,
  timeoutMs = host.stdinIsTerminal ? TERMINAL_TIMEOUT_MS : TIMEOUT_MS,
): ApiKey {
  const known = keys.get(host) ?? new Map<string, ApiKey>();
  const key = known.get(command) ?? readKey(command, profile, host, timeoutMs);
  keys.set(host, known.set(command, key));
  return key;
}

function readKey(command: string, profile: string, host: Host, timeoutMs: number): ApiKey {
  const [program, ...args] = parseKeyCommand(command, host.platform);
  const { output, errors, problem } = execute(program, args, host, timeoutMs);
  const secrets = output.split(/\s+/).filter((line) => line.length > 3);
  const shown = secrets.reduce((text, secret) => text.replaceAll(secret, REDACTED), errors).trimEnd();
  if (shown !== '') host.stderr.write(`${shown.split('\n').map(escapeControls).join('\n')}\n`);
  const fail = (reason: string) => {
    throw new CliError('denied', `the key command of the profile "${profile}" failed: ${program} ${reason}`, {
      hint: `To check it, run the command yourself.\nTo save another one, run: formulary auth login --profile ${profile} --key-command COMMAND`,
    });
  };
  if (problem !== undefined) return fail(problem);
  try {
    return parseApiKey(output, `the key command of the profile "${profile}"`) ?? fail('printed nothing');
  } catch (error) {
    if (error instanceof CliError && error.outcome === 'usage')
      return fail('printed more than one line, or characters that no key has');
    throw error;
  }
}

/** Runs a program without the keys of the environment, and kills it at the time limit. `problem` follows its name. */
function execute(program: string, args: readonly string[], host: Host, timeout: number) {
  const passed = Object.entries(host.env).filter(([name]) => !KEY_VARIABLES.some((variable) => variable === name));
  const { stdout, stderr, error, status, signal } = spawnSync(program, args, {
    env: Object.fromEntries(passed),
    // Not in the current folder, whose files must not decide what runs.
    cwd: host.home !== undefined && existsSync(host.home) ? host.home : parse(host.nodePath).root,
    stdio: [host.stdinIsTerminal ? 'inherit' : 'ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
    timeout,
    maxBuffer: MAX_OUTPUT_BYTES,
    killSignal: 'SIGKILL',
    windowsHide: true,
  });
  const { code } = (error ?? {}) as NodeJS.ErrnoException;
  const failures: Readonly<Record<string, string>> = {
    ENOENT: 'was not found',
    ETIMEDOUT: `did not finish within ${timeout / 1000} s`,
    ENOBUFS: 'printed too much',
  };
  const exit = signal === null ? `exited with code ${status}` : `was ended by ${signal}`;
  const problem = code === undefined ? exit : (failures[code] ?? `cannot be run (${code})`);
  return { output: stdout ?? '', errors: stderr ?? '', problem: error || status !== 0 ? problem : undefined };
}
