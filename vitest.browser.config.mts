import { defineConfig } from 'vitest/config';

/** The tests of the workbench's page in a real browser: `npm run test:browser`. */
export default defineConfig({
  define: { FORMULARY_VERSION: JSON.stringify('0.0.0-test') },
  test: {
    include: ['test/browser/*.browser.ts'],
    testTimeout: 60_000,
    // As long as a busy computer may take to check a folder that changed.
    expect: { poll: { timeout: 10_000 } },
  },
});
