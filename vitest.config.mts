import { readFileSync, statfsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/**
 * Where tests make their folders. They live for a moment, and a disk takes ten times as long as memory to make and
 * remove them; so it is memory, where a system has enough of it as a folder whose programs may be run.
 */
function temporaryFolder(): { TMPDIR?: string } {
  const memory = '/dev/shm';
  try {
    const [, options = ''] = /^tmpfs \/dev\/shm tmpfs (\S+)/m.exec(readFileSync('/proc/mounts', 'utf8')) ?? [];
    const { bavail, bsize } = statfsSync(memory);
    const isFit = options.split(',').includes('rw') && !options.includes('noexec') && bavail * bsize > 2 ** 30;
    return isFit && !process.env['TMPDIR'] ? { TMPDIR: memory } : {};
  } catch {
    return {};
  }
}

/**
 * Whole pipelines of the recipes for CI, kills at each request, large inputs for the parsers, and what starts hundreds of
 * processes of git, shells, or the tool: `npm run test:slow`.
 */
export const SLOW_TESTS = [
  'test/ci/**/*.test.ts',
  'test/slow/**/*.test.ts',
  'test/commands/git-ancestor*.test.ts',
  'test/commands/since-git.test.ts',
  'test/completion/shells.test.ts',
  'test/edit/kill.test.ts',
  'test/commands/no-state.test.ts',
  'test/run/doubles/http.test.ts',
];

export default defineConfig({
  define: { FORMULARY_VERSION: JSON.stringify('0.0.0-test'), FORMULARY_BUILD: JSON.stringify('test') },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['**/node_modules/**', ...SLOW_TESTS],
    globalSetup: ['test/node16/setup.ts', 'test/helpers/templates.ts'],
    // Real processes and a thousand folders take their time on a machine that is busy.
    testTimeout: 30_000,
    // One more than there are cores: a test that waits for a process or a time limit leaves its core alone.
    maxWorkers: availableParallelism() + 1,
    // One process for many files: nothing is kept in modules between them, and loading them anew took a third of the time.
    isolate: false,
    // With more room for what is soon thrown away, V8 clears up less often: a tenth of the time of what runs in this process.
    execArgv: ['--max-semi-space-size=32'],
    env: { NODE_EXTRA_CA_CERTS: '', ...temporaryFolder() },
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      // Runs in a browser alone: npm run test:browser.
      exclude: ['src/dev/page/**'],
      reporter: ['text-summary'],
      thresholds: { lines: 85, functions: 85, branches: 80 },
    },
  },
});
