/**
 * Takes the pictures of the workbench, docs/workbench*.png, over the formulas of formulas-example/, or writes them to the
 * folder that is passed. `npm run docs:workbench`. Needs Chromium on the PATH, or its path in FORMULARY_TEST_BROWSER.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { chromium } from 'playwright-core';

const ROOT = join(import.meta.dirname, '..');
const TARGET = process.argv[2] ?? import.meta.dirname;
const { env } = process;

const place = mkdtempSync(join(tmpdir(), 'formulary-workbench-'));
const formulas = join(place, 'formulas');
cpSync(join(ROOT, 'formulas-example'), formulas, { recursive: true });
// An error, a warning, and a test that fails.
writeFileSync(join(formulas, 'map-webhook/code.js'), 'module.exports = async ({ args }) => ({ raw: args.event );\n');
appendFileSync(join(formulas, 'sign-payload/code.js'), "\nmodule.exports.version = () => structuredClone('1');\n");
const tests = join(formulas, 'tokenize-card/tests/cards.json');
writeFileSync(tests, readFileSync(tests, 'utf8').replace('"brand": "visa"', '"brand": "mastercard"'));

const workbench = spawn(process.execPath, [join(ROOT, 'bin/formulary.js'), 'formula', 'dev', 'formulas'], {
  cwd: place,
  env: { PATH: env['PATH'], HOME: place },
  stdio: ['ignore', 'pipe', 'ignore'],
});
try {
  const [printed] = await once(workbench.stdout, 'data');
  await takePictures(String(printed).trim());
} finally {
  workbench.kill('SIGINT');
  await once(workbench, 'exit');
  rmSync(place, { recursive: true });
}

async function takePictures(url) {
  const paths = (env['PATH'] ?? '')
    .split(delimiter)
    .flatMap((folder) => ['chromium', 'chromium-browser', 'google-chrome'].map((name) => join(folder, name)));
  const executablePath = [env['FORMULARY_TEST_BROWSER'] ?? '', ...paths].find((path) => path && existsSync(path)) ?? '';
  const browser = await chromium.launch({ executablePath, chromiumSandbox: process.geteuid?.() !== 0 });
  try {
    await take(browser, url, { width: 1300, height: 860 }, 'light', 'workbench.png', showPassed);
    await take(browser, url, { width: 1300, height: 860 }, 'dark', 'workbench-dark.png', showFailed);
    await take(browser, url, { width: 360, height: 740 }, 'light', 'workbench-narrow.png', showPassed);
  } finally {
    await browser.close();
  }
}

async function take(browser, url, viewport, colorScheme, file, prepare) {
  const page = await browser.newPage({ viewport, colorScheme });
  await page.goto(url);
  await prepare(page);
  // Values that differ on each run.
  await page.evaluate(() => {
    const [status, time] = ['.bar .status', '.time'].map((name) => document.querySelector(name));
    if (status) status.textContent = status.textContent.replace(/\d+ ms/, '52 ms');
    if (time) time.textContent = '10:42:07';
  });
  await page.evaluate(() => window.scrollTo(0, 0));
  await page.screenshot({ path: join(TARGET, file) });
  await page.close();
}

/** A run that passes its test, next to a formula with a failed test. */
async function showPassed(page) {
  await open(page, /Tokenize a card/);
  await page.getByRole('button', { name: 'Run all' }).click();
  await page.getByText(/ 1 failed$/).waitFor();
  await open(page, /Charge a card/);
  await page.getByRole('button', { name: 'Run all' }).click();
  await page.getByText(/ 0 failed$/).waitFor();
  await run(page, 'tests/charges.json: charges the card and stores the receipt', /test passed$/);
}

/** A run with another result than its test expects. */
async function showFailed(page) {
  await open(page, /Tokenize a card/);
  await page.getByRole('button', { name: 'Run all' }).click();
  await page.getByText(/ 1 failed$/).waitFor();
  const failed = page.getByRole('region', { name: 'Tests' }).getByRole('button', { name: /failed$/ });
  const label = await failed.locator('.name').textContent();
  await run(page, `tests/cards.json: ${label}`, /test failed$/);
}

function open(page, name) {
  return page.getByRole('navigation').getByRole('button', { name }).click();
}

async function run(page, test, status) {
  const filled = page.waitForResponse(/\/tests\?/);
  await page.getByRole('combobox', { name: 'Start from a test' }).selectOption({ label: test });
  await filled;
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.locator('.bar').getByText(status).waitFor();
}
