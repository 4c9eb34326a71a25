/** A computer with a repository on it, whose formula at `repo/formulas/card` is bundled. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { type BundleContext, bundleCode } from '../../src/code/bundle/bundle.ts';
import { CARD_MANIFEST, folderWith } from './folders.ts';

export type Files = Record<string, string | Buffer>;

/** What must never be in a bundle, nor in a message. */
export const SECRET = 'not-to-be-sent-4711';

/** Code that imports a path and returns what it gets. */
export const importing = (path: string, more = ''): string =>
  `import x from ${JSON.stringify(path)}${more};\nexport default async (req) => ({ raw: { x, req } });\n`;

export interface Computer {
  top: string;
  /** The formula's folder. */
  card: string;
  bundle(
    surroundings?: Partial<BundleContext>,
  ): Promise<{ code: string | undefined; errors: string[]; shown: string; notes: string[] }>;
}

/** `files` are relative to the top, which is above the repository. */
export function computerWith(code: string, files: Files = {}, prepare?: (top: string) => void): Computer {
  const top = folderWith({
    'repo/.git/config': `[http]\n\textraheader = ${SECRET}\n`,
    'repo/.git/HEAD': 'ref: refs/heads/main\n',
    'repo/formulas/card/manifest.json': JSON.stringify(CARD_MANIFEST),
    'repo/formulas/card/code.mjs': code,
    ...files,
  });
  prepare?.(top);
  const card = join(top, 'repo/formulas/card');
  const file = Object.keys(files).some((name) => name.endsWith('card/code.ts')) ? 'code.ts' : 'code.mjs';
  return {
    top,
    card,
    bundle: async (surroundings) => {
      const { bundle, problems } = await bundleCode(card, file, { excludedFolders: [], ...surroundings });
      const messages = (level: string) =>
        problems
          .filter((fault) => fault.level === level)
          .map(({ file: at, line, column, message }) => `${at}:${line}:${column} ${message}`);
      return {
        code: bundle?.code,
        errors: messages('error'),
        notes: [...messages('warning'), ...messages('note')],
        shown: JSON.stringify([problems, bundle?.code]),
      };
    },
  };
}

/** Makes `repo` a repository of git. */
export function initGit(top: string): void {
  execFileSync('git', ['init', '-q', '.'], {
    cwd: join(top, 'repo'),
    stdio: 'ignore',
    env: { PATH: '/usr/bin:/bin', HOME: top },
  });
}
