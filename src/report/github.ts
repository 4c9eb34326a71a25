/** Findings as annotations of GitHub Actions: workflow commands on a line of their own. */
import { resolve } from 'node:path';
import { findRealPath, isWithin, toRelative, toSlashes } from '../files/paths.ts';
import type { Host, OutputStream } from '../host/host.ts';
import { escapeInvisiblePart } from '../output/escape.ts';
import type { Finding } from '../rules/rule.ts';

const COMMANDS = { error: 'error', warning: 'warning', note: 'notice' } as const;

/** In GitHub Actions, marks a finding at its file, on stderr; `path` is relative to the current folder. */
export function annotateFile(
  host: Pick<Host, 'cwd' | 'env'> & { stderr: Pick<OutputStream, 'write'> },
  path: string,
  finding: Finding,
): void {
  if (host.env['GITHUB_ACTIONS'] !== 'true') return;
  const file = toWorkspacePath(resolve(host.cwd(), path), host.env['GITHUB_WORKSPACE']) ?? path;
  host.stderr.write(`${formatAnnotation(toSlashes(file), finding)}\n`);
}

/** The path that GitHub shows an annotation at: it starts at the checkout, also with `working-directory`. */
function toWorkspacePath(path: string, workspace = ''): string | undefined {
  if (workspace === '') return undefined;
  // The current folder is a real path; the workspace of a self-hosted runner may be a symbolic link.
  const root = [workspace, findRealPath(workspace) ?? workspace].find((folder) => isWithin(path, folder));
  return root && toRelative(root, path);
}

/** The command that marks a finding at `path`. */
export function formatAnnotation(path: string, { level, line, column, rule, message }: Finding): string {
  const properties = { file: path, line, col: column, title: rule };
  const pairs = Object.entries(properties).map(
    ([key, value]) => `${key}=${escapeData(String(value)).replaceAll(':', '%3A').replaceAll(',', '%2C')}`,
  );
  return `::${COMMANDS[level]} ${pairs.join(',')}::${escapeData(message)}`;
}

/** A line break would begin a command of its own. */
const escapeData = (text: string) =>
  escapeInvisiblePart(text, '\r\n').replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
