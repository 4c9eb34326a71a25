/** The tool's own modules for benchmarks that need more of it than its command line: bundled into one file. */
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { compileSchemas } from '../src/build/compile-schema.mjs';
import { compileTexts } from '../src/build/compile-texts.mjs';
import { at } from '../src/build/paths.mjs';

const ENTRY = [
  'secrets/api-key',
  'api/http/json-body',
  'code/analysis',
  'code/bundle/bundle',
  'code/parse/parse',
  'folder/formula-files',
  'folder/icon',
  'text/json-layout',
  'text/json-with-positions',
  'folder/lockfile',
  'folder/manifest',
  'text/decode-utf8',
  'host/host',
  'host/process-host',
  'host/process-identity',
  'main',
  'output/code-frame',
  'output/escape',
  'output/formats',
  'output/table',
  'output/tsv',
  'output/text-diff',
  'output/style',
  'check/check-folder',
  'run/cases/compare-outcome',
  'run/cases/parse-tests',
  'service/listen',
]
  .map((name) => `export * from './src/${name}.ts';`)
  .join('\n');

/** Bundles the modules into a folder that `work` is given, with the file's path; the folder is removed when it ends. */
export async function withSource(work) {
  const folder = mkdtempSync(join(tmpdir(), 'formulary-source-'));
  try {
    const outfile = join(folder, 'tool.cjs');
    await compileSchemas();
    await compileTexts();
    symlinkSync(at('node_modules'), join(folder, 'node_modules'));
    await build({
      stdin: { contents: ENTRY, resolveDir: at('.'), loader: 'ts' },
      outfile,
      bundle: true,
      platform: 'node',
      format: 'cjs',
      mainFields: ['module', 'main'],
      external: ['esbuild', 'libsql'],
      define: { FORMULARY_VERSION: '"0.0.0-bench"' },
      supported: { 'dynamic-import': false },
      logLevel: 'error',
    });
    return await work({ folder, file: outfile });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
