import { defineConfig } from 'vitest/config';
import base, { SLOW_TESTS } from './vitest.config.mts';

/** Tests that take long: `npm run test:slow`. */
export default defineConfig({
  ...base,
  test: { ...base.test, include: SLOW_TESTS, exclude: ['**/node_modules/**'], testTimeout: 120_000 },
});
