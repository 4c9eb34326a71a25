/** Code for which esbuild needs more than its limits of memory and time. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folderWith } from '../helpers/folders.ts';

const TOOL = join(import.meta.dirname, '../../bin/formulary.js');

// By the built tool: the process of esbuild that other tests started here has no limit.
it('esbuild stops at its limits, after which it starts again', () => {
  const deep = `${'{'.repeat(20_000)}${'}'.repeat(20_000)}\nexport default async () => ({});\n`;
  const manifest = (name: string) =>
    JSON.stringify({ name, type: 'private', configuration: [], request_parameters: [] });
  const cwd = folderWith({
    'a/code.mjs': deep,
    'a/manifest.json': manifest('A'),
    'b/code.mjs': 'export default async () => ({ raw: 1 });\n',
    'b/manifest.json': manifest('B'),
  });
  const { status, stdout } = spawnSync(process.execPath, [TOOL, 'formula', 'validate', 'a', 'b'], {
    cwd,
    encoding: 'utf8',
  });
  expect(status).toBe(3);
  expect(stdout).toMatch(/esbuild needs more than 640 MiB|did not finish within 15 seconds/);
  expect(stdout).toContain('b: valid');
});
