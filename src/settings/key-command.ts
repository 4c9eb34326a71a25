/** Runs the command of a profile that prints its API key. */
import { spawn } from 'node:child_process';
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
  const word = isWindows
    ? /(?:'[^']*'|"[^"]*"|[^\s'"])+/gy
    : /(?:'[^']*'|"(?:\\[\s\S]|[^"\\])*"|\\[\s\S]|[^\s'"\\])+/gy;
  // On Windows the third group never matches.
  const part = isWindows ? /'([^']*)'|"([^"]*)"|(?!)()/g : /'([^']*)'|"((?:\\[\s\S]|[^"\\])*)"|\\([\s\S])/g;
  const unquote = (quoted: string) => (isWindows ? quoted : quoted.replace(/\\(["\\$`])/g, '$1'));
  const text = command.trim();
  const words: string[] = [];
  for (let at = 0; at < text.length; at += /^\s*/.exec(text.slice(at))?.[0].length ?? 0) {
    word.lastIndex = at;
    const found = word.exec(text)?.[0];
    if (found === undefined) {
      throw new CliError('usage', '--key-command has a quote that is not closed', { hint: EXAMPLE });
    }
    words.push(found.replace(part, (_, single, double, escaped) => single ?? escaped ?? unquote(double)));
    at += found.length;
  }
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

const runs = new WeakMap<Host, Map<string, Promise<ApiKey>>>();

/** Runs the command of a profile, once per run. Raises denied (4) if it prints no key; its output is never shown. */
export function runKeyCommand(
  command: string,
  profile: string,
  host: Host,
  timeoutMs = host.stdinIsTerminal ? TERMINAL_TIMEOUT_MS : TIMEOUT_MS,
): Promise<ApiKey> {
  const known = runs.get(host) ?? new Map<string, Promise<ApiKey>>();
  runs.set(host, known);
  const run = known.get(command) ?? readKey(command, profile, host, timeoutMs);
  known.set(command, run);
  return run;
}

async function readKey(command: string, profile: string, host: Host, timeoutMs: number): Promise<ApiKey> {
  const [program, ...args] = parseKeyCommand(command, host.platform);
  const { output, errors, problem } = await execute(program, args, host, timeoutMs);
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

interface CommandResult {
  output: string;
  errors: string;
  /** Follows the program's name. */
  problem: string | undefined;
}

function execute(program: string, args: readonly string[], host: Host, timeoutMs: number): Promise<CommandResult> {
  const env = Object.fromEntries(
    Object.entries(host.env).filter(([name]) => !KEY_VARIABLES.some((variable) => variable === name)),
  );
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      env,
      // Not in the current folder, whose files must not decide what runs.
      cwd: host.home !== undefined && existsSync(host.home) ? host.home : parse(host.nodePath).root,
      stdio: [host.stdinIsTerminal ? 'inherit' : 'ignore', 'pipe', 'pipe'],
      windowsHide: true,
    });
    const texts = { output: '', errors: '' };
    const end = (problem: string | undefined) => {
      clearTimeout(timer);
      child.stdout.destroy();
      child.stderr.destroy();
      resolve({ ...texts, problem });
    };
    const stop = (problem: string) => {
      child.kill('SIGKILL');
      end(problem);
    };
    const timer = setTimeout(() => stop(`did not finish within ${timeoutMs / 1000} s`), timeoutMs);
    for (const [stream, name] of [
      [child.stdout, 'output'],
      [child.stderr, 'errors'],
    ] as const) {
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        texts[name] += chunk;
        if (texts[name].length > MAX_OUTPUT_BYTES) stop('printed too much');
      });
    }
    child.on('error', ({ code }: NodeJS.ErrnoException) =>
      end(code === 'ENOENT' ? 'was not found' : `cannot be run (${code})`),
    );
    child.on('close', (code, signal) => {
      if (code === 0) end(undefined);
      else end(signal === null ? `exited with code ${code}` : `was ended by ${signal}`);
    });
  });
}
