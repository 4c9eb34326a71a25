import { defineConfig } from 'vitest/config';

export default defineConfig({
  define: { FORMULARY_VERSION: JSON.stringify('0.0.0-test') },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    globalSetup: ['test/node16/setup.ts'],
    // Real processes and a thousand folders take their time on a machine that is busy.
    testTimeout: 30_000,
    // Vitest leaves one core alone, which is half of a machine with two.
    maxWorkers: '100%',
    // One process for many files: nothing is kept in modules between them, and loading them anew took a third of the time.
    isolate: false,
    env: { NODE_EXTRA_CA_CERTS: '' },
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      reporter: ['text-summary'],
      thresholds: { lines: 85, functions: 85, branches: 80 },
    },
  },
});
