/** Prints findings as annotations of GitHub Actions. */
import { resolve } from 'node:path';
import { findRealPath, isWithin, toRelative, toSlashes } from '../files/paths.ts';
import type { Host, OutputStream } from '../host/host.ts';
import { escapeInvisiblePart } from '../output/escape.ts';
import type { Finding } from '../rules/rule.ts';

const COMMANDS = { error: 'error', warning: 'warning', note: 'notice' } as const;

/** In GitHub Actions, annotates a file, on stderr; `path` is relative to the current folder. */
export function annotateFile(
  host: Pick<Host, 'cwd' | 'env'> & { stderr: Pick<OutputStream, 'write'> },
  path: string,
  finding: Finding,
): void {
  if (host.env['GITHUB_ACTIONS'] !== 'true') return;
  const file = toWorkspacePath(resolve(host.cwd(), path), host.env['GITHUB_WORKSPACE']) ?? path;
  host.stderr.write(`${formatAnnotation(toSlashes(file), finding)}\n`);
}

/** The path relative to the root of the checkout, which GitHub requires; `working-directory` may be another folder. */
function toWorkspacePath(path: string, workspace = ''): string | undefined {
  if (workspace === '') return undefined;
  // The current folder is a real path; the workspace of a self-hosted runner may be a symbolic link.
  const root = [workspace, findRealPath(workspace) ?? workspace].find((folder) => isWithin(path, folder));
  return root && toRelative(root, path);
}

/** The workflow command that annotates `path`. */
export function formatAnnotation(path: string, { level, line, column, rule, message }: Finding): string {
  const properties = { file: path, line, col: column, title: rule };
  const pairs = Object.entries(properties).map(
    ([key, value]) => `${key}=${escapeData(String(value)).replaceAll(':', '%3A').replaceAll(',', '%2C')}`,
  );
  return `::${COMMANDS[level]} ${pairs.join(',')}::${escapeData(message)}`;
}

/** An unescaped line break would start another workflow command. */
const escapeData = (text: string) =>
  escapeInvisiblePart(text, '\r\n').replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
