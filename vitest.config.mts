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
 * The project `slow`: recipes for CI, kills at each request, large input for the parsers, and what starts many processes
 * of git, Node.js 16, or the tool. `npm test` runs the others; `npm run check` runs both.
 */
const SLOW_TESTS = [
  'test/api/http/hostile.test.ts',
  'test/api/list-limit.test.ts',
  'test/check/check-folders.test.ts',
  'test/ci/**/*.test.ts',
  'test/code/analysis.test.ts',
  'test/code/bundle/limits.test.ts',
  'test/code/local-files.test.ts',
  'test/code/real-node16.test.ts',
  'test/code/scope/scope-analysis.test.ts',
  'test/commands/at.test.ts',
  'test/commands/conflict-sides.test.ts',
  'test/commands/dev.test.ts',
  'test/commands/floods.test.ts',
  'test/commands/git-ancestor*.test.ts',
  'test/commands/hostile-files.test.ts',
  'test/commands/hostile-plans.test.ts',
  'test/commands/main-job.test.ts',
  'test/commands/no-state.test.ts',
  'test/commands/push-plan.test.ts',
  'test/commands/push-storm.test.ts',
  'test/commands/report-links.test.ts',
  'test/commands/since*.test.ts',
  'test/commands/sparse-checkout.test.ts',
  'test/commands/status.test.ts',
  'test/commands/test.test.ts',
  'test/commands/types.test.ts',
  'test/completion/shells.test.ts',
  'test/dev/*.test.ts',
  'test/edit/kill.test.ts',
  'test/examples.test.ts',
  'test/full-disk.test.ts',
  'test/git/changes.test.ts',
  'test/git/ignored.test.ts',
  'test/key*.test.ts',
  'test/loaded.test.ts',
  'test/node-options.test.ts',
  'test/optional-packages.test.ts',
  'test/output/graphemes.test.ts',
  'test/packed.test.ts',
  'test/process.test.ts',
  'test/properties/*.test.ts',
  'test/run/cases/shared-process.test.ts',
  'test/run/clock.test.ts',
  'test/run/doubles/*.test.ts',
  'test/run/inspect.test.ts',
  'test/run/record/record.test.ts',
  'test/run/run.test.ts',
  'test/service/kill.test.ts',
  'test/service/read-store.test.ts',
  'test/service/store-race.test.ts',
  'test/session.test.ts',
  'test/signals.test.ts',
  'test/slow/**/*.test.ts',
  'test/smoke.test.ts',
  'test/terminal.test.ts',
];

export default defineConfig({
  logLevel: 'error',
  define: { FORMULARY_VERSION: JSON.stringify('0.0.0-test') },
  test: {
    // Its files import JSON as a bundler allows.
    server: { deps: { inline: [/@actions/] } },
    globalSetup: ['test/node16/setup.ts', 'test/helpers/templates.ts'],
    // Real processes and a thousand folders take their time on a machine that is busy.
    testTimeout: 30_000,
    expect: { poll: { timeout: 10_000 } },
    // One more than there are cores: a test that waits for a process or a time limit leaves its core alone.
    maxWorkers: availableParallelism() + 1,
    // One process for many files: nothing is kept in modules between them, and loading them anew took a third of the time.
    isolate: false,
    // With more room for what is soon thrown away, V8 clears up less often: a tenth of the time of what runs in this process.
    execArgv: ['--max-semi-space-size=32'],
    projects: [
      {
        extends: true,
        test: { name: 'fast', include: ['test/**/*.test.ts'], exclude: ['**/node_modules/**', ...SLOW_TESTS] },
      },
      { extends: true, test: { name: 'slow', include: SLOW_TESTS, testTimeout: 120_000 } },
    ],
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
