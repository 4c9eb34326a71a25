/** Folders that several tests copy. The first test that needs one creates it; the end of the run removes all. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject, onTestFinished } from 'vitest';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    templates: string;
  }
}

/** Called by vitest once for all processes. */
export function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(realpathSync(project.config.env?.['TMPDIR'] ?? tmpdir()), 'formulary-templates-'));
  project.provide('templates', folder);
  return () => rmSync(folder, { recursive: true, force: true });
}

const templates = new Map<string, Promise<{ template: string; result: unknown }>>();
let place: string | undefined;

/**
 * The folder that `create` fills, as it left it, and what it returned; `create` runs once in this process for each key.
 * Its path is always the same, because the state of the tool contains paths; so a test can have only one.
 */
export async function copyTemplate<Result>(
  key: string,
  create: (folder: string) => Promise<Result>,
): Promise<{ folder: string; result: Result }> {
  place ??= mkdtempSync(join(inject('templates'), 'process-'));
  const folder = join(place, 'folder');
  if (existsSync(folder)) throw new Error('this test has a copy of a template already');
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const created = templates.get(key) ?? fill(folder, join(place, `template-${templates.size}`), create);
  templates.set(key, created);
  const { template, result } = await created;
  cpSync(template, folder, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  return { folder, result: result as Result };
}

async function fill<Result>(folder: string, template: string, create: (folder: string) => Promise<Result>) {
  mkdirSync(folder, { mode: 0o755 });
  const result = await create(folder);
  renameSync(folder, template);
  return { template, result };
}
