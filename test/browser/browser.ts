/** A headless Chromium that is installed on this computer. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { onTestFinished } from 'vitest';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The path of the browser: FORMULARY_TEST_BROWSER, or the first that is on the PATH. */
export const browserPath: string | undefined = [
  process.env['FORMULARY_TEST_BROWSER'] ?? '',
  ...(process.env['PATH'] ?? '').split(delimiter).flatMap((folder) => NAMES.map((name) => join(folder, name))),
].find((path) => path !== '' && existsSync(path));

export const launchBrowser = (): Promise<Browser> =>
  // The sandbox of Chromium does not work for root, as in containers.
  chromium.launch({ executablePath: browserPath ?? '', chromiumSandbox: process.geteuid?.() !== 0 });

/** Opens a page, closed when the test ends, and collects its errors. */
export async function openPage(browser: Browser, url: string, options: BrowserContextOptions = {}) {
  const context = await browser.newContext(options);
  onTestFinished(() => context.close());
  const page: Page = await context.newPage();
  const errors: string[] = [];
  page.on('pageerror', ({ message }) => errors.push(message));
  page.on('dialog', (dialog) => {
    errors.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  // A failed run is a response with an error status, which Chromium logs.
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      errors.push(message.text());
  });
  await page.goto(url);
  return { page, errors };
}
