/** The files and scripts of docs/ci.md, and docs/gitlab-ci.yml. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './project.ts';

export const DOC = readFileSync(join(ROOT, 'docs/ci.md'), 'utf8');

export const GITLAB_FILE = readFileSync(join(ROOT, 'docs/gitlab-ci.yml'), 'utf8');

/** The blocks of a language, in the order in which they appear. */
export const blocks = (language: string): string[] =>
  [...DOC.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms'))].map(([, text = '']) => text);
