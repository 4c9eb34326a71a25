/** The page of formula dev in a real browser. */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { BARE, folderWith } from '../helpers/folders.ts';
import { run } from '../helpers/test-host.ts';
import { type RunningWorkbench, startWorkbench } from '../helpers/workbench.ts';
import { browserPath, launchBrowser, openPage } from './browser.ts';

if (!browserPath)
  process.stderr.write(
    'The browser tests are skipped: no Chromium was found. Install it, or set FORMULARY_TEST_BROWSER.\n',
  );

const MANIFEST = {
  name: 'Charge order',
  description: 'Sends an order to the payment service',
  type: 'private',
  configuration: [{ name: 'API_URL', description: 'Base URL of the payment service', type: 'string' }],
  request_parameters: [
    { name: 'order.id', description: 'Number of the order', type: 'string' },
    { name: 'order.total', type: 'number' },
    { name: 'order.customer.vip', type: 'boolean', optional: true },
    { name: 'order.customer.email', type: 'string', optional: true },
  ],
};

const CODE = `module.exports = async ({ args, configuration }) => {
  console.log('charging', args.order.id);
  if (args.order.total < 0) throw new RangeError('total must be positive');
  return { raw: { url: configuration.API_URL, total: args.order.total }, tokenize: { data: args.order } };
};
`;

const formula = (folder: string, manifest: object = {}, code = CODE) => ({
  [`${folder}/manifest.json`]: JSON.stringify({ ...MANIFEST, ...manifest }, null, 2),
  [`${folder}/code.js`]: code,
});

const EVIL_NAME = '</script><img src=x onerror=alert(1)>';

let browser: Browser;

async function open(files: Record<string, string>, options?: Parameters<typeof openPage>[2], env = {}) {
  const workbench = await startWorkbench(files, [], { XDG_STATE_HOME: folderWith(), ...env });
  const opened = await openPage(browser, workbench.texts.out.trim(), options);
  await opened.page.getByRole('heading', { level: 2 }).waitFor();
  return { ...opened, workbench };
}

const clickRun = (page: Page) => page.getByRole('button', { name: 'Run', exact: true }).click();

async function fillAndRun(page: Page, total = '19.99') {
  await page.getByRole('textbox', { name: 'id string' }).fill('A-1');
  await page.getByRole('textbox', { name: 'total number' }).fill(total);
  await page.getByRole('textbox', { name: 'API_URL string' }).fill('https://pay.example');
  await clickRun(page);
}

const blockText = (page: Page, name: string) => page.getByRole('region', { name, exact: true }).textContent();

describe.skipIf(!browserPath)('the workbench in a browser', () => {
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  it('runs a formula with the values of nested fields, and shows what it returned and printed', async () => {
    const { page, errors } = await open(formula('orders'));
    await page.getByRole('combobox', { name: 'vip boolean, optional' }).selectOption('true');
    await fillAndRun(page);
    await page.getByText(/^Returned in \d+ ms$/).waitFor();
    expect(JSON.parse((await blockText(page, 'raw')) ?? '')).toEqual({ url: 'https://pay.example', total: 19.99 });
    expect(JSON.parse((await blockText(page, 'tokenize')) ?? '')).toEqual({
      data: { id: 'A-1', total: 19.99, customer: { vip: true } },
    });
    expect(await blockText(page, 'Printed output')).toBe('charging A-1\n');
    expect(errors).toEqual([]);
  });

  it('shows errors at the fields, and moves the focus to the first', async () => {
    const { page } = await open(formula('orders'));
    await fillAndRun(page, 'ten');
    const total = page.getByRole('textbox', { name: 'total number' });
    await page.getByText('Invalid request').waitFor();
    expect(await total.getAttribute('aria-invalid')).toBe('true');
    expect(await total.evaluate((input) => input === input.ownerDocument.activeElement)).toBe(true);
  });

  it('shows the message and the source lines of code that fails', async () => {
    const { page } = await open(formula('orders'));
    await fillAndRun(page, '-1');
    await page.getByText(/^Failed in \d+ ms$/).waitFor();
    expect(await blockText(page, 'code.js:3:35')).toContain(
      "> 3 |   if (args.order.total < 0) throw new RangeError('total",
    );
  });

  it('shows a finding when code.js is broken on disk, and keeps the form', async () => {
    const { page, workbench } = await open(formula('orders'));
    await page.getByRole('textbox', { name: 'id string' }).fill('A-1');
    writeFileSync(join(workbench.cwd, 'orders/code.js'), 'module.exports = (');
    await page.getByText('code-syntax').waitFor();
    expect(await page.getByRole('button', { name: /Charge order/ }).textContent()).toContain('1 error');
    expect(await page.getByRole('textbox', { name: 'id string' }).inputValue()).toBe('A-1');
    writeFileSync(join(workbench.cwd, 'orders/code.js'), CODE);
    await page.getByText('code-syntax').waitFor({ state: 'detached' });
  });

  it('saves a run as a test that formula test passes, and starts from it', async () => {
    const { page, workbench } = await open(formula('orders'));
    await fillAndRun(page);
    await page.getByRole('textbox', { name: 'Test name' }).fill('first order');
    await page.getByRole('button', { name: 'Save as test' }).click();
    await page.getByText(/^Saved tests\/first order\.json/).waitFor();
    expect(await run(['formula', 'test', 'orders'], { cwd: workbench.cwd })).toMatchObject({ code: 0 });
    await page.reload();
    await page
      .getByRole('combobox', { name: 'Start from a test' })
      .selectOption({ label: 'tests/first order.json: first order' });
    await expect.poll(() => page.getByRole('textbox', { name: 'id string' }).inputValue()).toBe('A-1');
  });

  it('runs with the doubles of a chosen test, and shows the calls', async () => {
    const code =
      'module.exports = async ({ args, configuration, bt }) => ({ raw: { args, configuration, t: await bt.tokens.create(1) } });\n';
    const test = {
      args: { order: { id: 'A-7', total: 7 } },
      configuration: { API_URL: 'x' },
      doubles: { bt: { 'tokens.create': [{ returns: 'tok_1' }] } },
      expect: { raw: {} },
    };
    const files = {
      ...formula('orders', {}, code),
      'orders/tests/seven.json': JSON.stringify({ name: 'seven', ...test }),
    };
    const { page } = await open(files);
    await page.getByRole('combobox', { name: 'Start from a test' }).selectOption({ label: 'tests/seven.json: seven' });
    await expect.poll(() => page.getByRole('textbox', { name: 'total number' }).inputValue()).toBe('7');
    await clickRun(page);
    await page.getByText(/^Returned/).waitFor();
    expect(await page.getByRole('list', { name: 'Calls' }).textContent()).toBe('bt.tokens.create(1)');
    expect(JSON.parse((await blockText(page, 'raw')) ?? '')).toMatchObject({ args: test.args, t: 'tok_1' });
    await page.getByRole('combobox', { name: 'Start from a test' }).selectOption({ label: 'none' });
    await clickRun(page);
    await page.getByText(/^bt is null, since it has no double\./).waitFor();
  });

  it('stores nothing in the browser', async () => {
    const { page } = await open(formula('orders'));
    await fillAndRun(page);
    await page.getByText(/^Returned/).waitFor();
    const stored = await page.evaluate('[localStorage.length, sessionStorage.length, document.cookie]');
    expect(stored).toEqual([0, 0, '']);
    await page.reload();
    expect(await page.getByRole('textbox', { name: 'API_URL string' }).inputValue()).toBe('');
  });

  it('shows names and descriptions that look like HTML as text', async () => {
    const evil = {
      name: EVIL_NAME,
      description: EVIL_NAME,
      configuration: [],
      request_parameters: [{ name: 'a', type: 'string', description: EVIL_NAME, optional: true }],
    };
    const code = `module.exports = async ({ args, configuration }) => ({ raw: { x: ${JSON.stringify(EVIL_NAME)}, args, configuration } });\n`;
    const { page, errors } = await open(formula('evil', evil, code));
    await clickRun(page);
    await page.getByText(/^Returned/).waitFor();
    expect(await page.getByRole('heading', { level: 2 }).textContent()).toBe(EVIL_NAME);
    expect(await page.locator('main img').count()).toBe(0);
    expect(errors).toEqual([]);
  });

  it('is used with the keyboard alone', async () => {
    const { page, workbench } = await open({ ...formula('orders'), ...formula('refunds', { name: 'Refund order' }) });
    const tabTo = async (name: string) => {
      for (let i = 0; i < 40; i++) {
        const focused = await page.evaluate<string>(
          'document.activeElement.labels?.[0]?.textContent ?? document.activeElement.textContent',
        );
        if (focused.startsWith(name)) return;
        await page.keyboard.press('Tab');
      }
      expect.unreachable(`${name} cannot be reached`);
    };
    await tabTo('Refund order');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 2, name: 'Refund order' }).waitFor();
    for (const [name, value] of [
      ['id', 'A-1'],
      ['total', '1'],
      ['API_URL', 'x'],
    ] as const) {
      await tabTo(name);
      await page.keyboard.type(value);
    }
    await page.keyboard.press('Control+Enter');
    await page.getByText(/^Returned/).waitFor();
    await tabTo('Test name');
    await page.keyboard.type('keys');
    await page.keyboard.press('Enter');
    await page.getByText(/^Saved/).waitFor();
    expect(existsSync(join(workbench.cwd, 'refunds/tests/keys.json'))).toBe(true);
  });

  it('marks a result as old when the input or the code changes, and saves what the form shows', async () => {
    const { page, workbench } = await open(formula('orders'));
    await fillAndRun(page);
    await page.getByText(/^Returned/).waitFor();
    const old = page.getByText(/^Old result: the (input|code) has changed since this run\.$/);
    expect(await old.count()).toBe(1);
    expect(await old.isVisible()).toBe(false);
    const total = page.getByRole('textbox', { name: 'total number' });
    await total.fill('5');
    expect(await old.textContent()).toContain('the input');
    await total.fill('19.99');
    expect(await old.isVisible()).toBe(false);
    writeFileSync(join(workbench.cwd, 'orders/code.js'), CODE.replace('total: args', 'sum: args'));
    await old.waitFor();
    expect(await old.textContent()).toContain('the code');
    await total.fill('5');
    await page.getByRole('textbox', { name: 'Test name' }).fill('five');
    await page.getByRole('button', { name: 'Save as test' }).click();
    await page.getByText(/^Saved tests\/five\.json/).waitFor();
    const saved = JSON.parse(readFileSync(join(workbench.cwd, 'orders/tests/five.json'), 'utf8'));
    expect(saved).toMatchObject({ args: { order: { total: 5 } }, expect: { raw: { sum: 5 } } });
    expect(JSON.parse((await blockText(page, 'raw')) ?? '')).toMatchObject({ sum: 5 });
    expect(await old.isVisible()).toBe(false);
  });

  it('removes the result when input is refused, in the same words for strings and numbers', async () => {
    const { page } = await open(formula('orders'));
    await fillAndRun(page);
    await page.getByText(/^Returned/).waitFor();
    await page.getByRole('textbox', { name: 'id string' }).fill('');
    await page.getByRole('textbox', { name: 'total number' }).fill('');
    await clickRun(page);
    await page.getByText('Invalid request').waitFor();
    expect(await page.getByRole('region', { name: 'raw' }).count()).toBe(0);
    const form = page.locator('form').first();
    expect(await form.locator('.error').filter({ visible: true }).allTextContents()).toEqual([
      'args.order.id is required (string)',
      'args.order.total is required (number)',
    ]);
  });

  it('warns at the field of a number that JavaScript cannot represent', async () => {
    const { page } = await open(formula('orders'));
    await page.getByRole('textbox', { name: 'total number' }).fill('9007199254740993');
    const text =
      '9007199254740993 cannot be represented exactly as a JavaScript number; the code gets 9007199254740992';
    expect(await page.getByText(text).count()).toBe(1);
    await page.getByRole('button', { name: 'Edit as JSON' }).click();
    await page.getByRole('textbox', { name: 'args as JSON' }).fill('{"order": {"total": 9007199254740993}}');
    expect(await page.getByText(text).filter({ visible: true }).count()).toBe(1);
  });

  it('cuts a result of megabytes, and saves all of it', async () => {
    const code = 'module.exports = async () => ({ raw: { text: "x".repeat(3e6) } });\n';
    const { page } = await open(formula('big', BARE, code));
    await clickRun(page);
    await page.getByText('Only the start of 3.0 million characters is shown.').waitFor();
    expect((await blockText(page, 'raw'))?.length).toBe(100_000);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Save raw.json' }).click(),
    ]);
    expect(JSON.parse(readFileSync(await download.path(), 'utf8')).text).toHaveLength(3e6);
  });

  it('shows the status of an error once', async () => {
    const code = 'module.exports = async () => { throw Object.assign(new Error("no"), { status: 403 }); };\n';
    const { page } = await open(formula('denied', BARE, code));
    await clickRun(page);
    await page.getByText(/^Failed with 403 in \d+ ms$/).waitFor();
    expect(await page.locator('main').textContent()).not.toContain('422');
  });

  // The fields cannot have the second setting.
  const TEST = { args: { order: { id: 'A-1', total: 1 } }, configuration: { API_URL: 'x', OTHER: 'y' } };
  const RESULT = { raw: { url: 'x', total: 1 }, tokenize: { data: { id: 'A-1', total: 1 } } };
  const TESTED = {
    ...formula('orders'),
    'orders/tests/all.json': JSON.stringify([
      { name: 'one', ...TEST, expect: RESULT },
      { name: 'two', ...TEST, expect: { raw: { url: 'x', total: 2 } } },
      { name: 'three', ...TEST, args: { order: { id: '', total: -1 } }, expect: { error: { message: 'positive' } } },
    ]),
  };

  it('compares a run with the expectation of its test, and runs all tests', async () => {
    const { page, workbench } = await open(TESTED);
    const choose = async (label: string) => {
      await page.getByRole('combobox', { name: 'Start from a test' }).selectOption({ label });
      await expect.poll(() => page.getByRole('textbox', { name: 'total number' }).inputValue()).not.toBe('');
      await clickRun(page);
    };
    await choose('tests/all.json: one');
    await page.getByText(/^Returned in \d+ ms, test passed$/).waitFor();
    await choose('tests/all.json: two');
    await page.getByText(/^Returned in \d+ ms, test failed$/).waitFor();
    expect(await blockText(page, 'Difference')).toContain('-    "total": 2,');
    // An empty string of a test is sent as such.
    await choose('tests/all.json: three');
    await page.getByText(/^Failed in \d+ ms, test passed$/).waitFor();
    // Other input has another result than the test expects.
    await page.getByRole('textbox', { name: 'total number' }).fill('-2');
    await clickRun(page);
    await page.getByText(/^Failed in \d+ ms$/).waitFor();
    await page.getByRole('button', { name: 'Run all' }).click();
    // The outcomes were there before, so they do not tell whether all tests have run again.
    await page.getByRole('button', { name: 'Run all' }).waitFor();
    await page.getByText('2 passed, 1 failed').waitFor();
    const item = page.getByRole('navigation').getByRole('button', { name: 'Charge order' });
    expect(await item.textContent()).toContain('1 test failed');
    writeFileSync(join(workbench.cwd, 'orders/code.js'), `${CODE}\n`);
    await expect.poll(() => item.textContent()).not.toContain('failed');
  });

  it('keeps the form of a formula that is renamed or deleted, with a notice', async () => {
    const { page, workbench } = await open(formula('orders'));
    await page.getByRole('textbox', { name: 'id string' }).fill('A-1');
    renameSync(join(workbench.cwd, 'orders'), join(workbench.cwd, 'sales'));
    await page.getByText('orders was renamed to sales.').waitFor();
    await fillAndRun(page);
    await page.getByText(/^Returned/).waitFor();
    rmSync(join(workbench.cwd, 'sales'), { recursive: true });
    await page.getByText(/^sales no longer exists\./).waitFor();
    expect(await page.getByRole('textbox', { name: 'id string' }).inputValue()).toBe('A-1');
    expect(await page.getByRole('button', { name: 'Run', exact: true }).isDisabled()).toBe(true);
  });

  it('finds the workbench again after a restart, with the form, and gives its token to no other server', async () => {
    const env = { XDG_STATE_HOME: folderWith() };
    const { page, workbench } = await open(formula('orders'), {}, env);
    await page.getByRole('textbox', { name: 'id string' }).fill('A-1');
    await workbench.stop();
    await page.getByText('To continue on this page, run: formulary formula dev').waitFor();
    const requests: (string | undefined)[] = [];
    const other = createServer(({ headers }, response) => {
      requests.push(headers.authorization);
      response.setHeader('content-type', 'application/json').end('{"proof":"none"}');
    });
    await new Promise<void>((done) => other.listen(Number(new URL(workbench.url).port), '127.0.0.1', done));
    await page.getByText('The token of this page is missing').waitFor();
    expect(new Set(requests)).toEqual(new Set([undefined]));
    other.closeAllConnections();
    await new Promise((done) => other.close(done));
    await startWorkbench({}, [], env, workbench.cwd);
    await page.getByText('Live').waitFor();
    await fillAndRun(page);
    await page.getByText(/^Returned/).waitFor();
  });

  it('names the command that prints a URL if the token is wrong', async () => {
    const workbench = await startWorkbench(formula('orders'));
    const { page } = await openPage(browser, `${workbench.url}/#token=wrong`);
    const notice = page.locator('main').getByRole('alert').filter({ visible: true });
    await notice.waitFor();
    expect(await notice.textContent()).toContain('Run formulary formula dev, and open the URL that it prints.');
  });

  it('has the result to the right of the form from 1100 pixels on, and the bar always in view', async () => {
    const { page } = await open(formula('orders'), { viewport: { width: 1100, height: 500 } });
    const boxOf = async (name: string) => (await page.getByRole('region', { name, exact: true }).boundingBox())?.x ?? 0;
    const formBox = await page.locator('form').first().boundingBox();
    expect(await boxOf('Result')).toBeGreaterThan((formBox?.x ?? 0) + (formBox?.width ?? 0));
    await page.evaluate('window.scrollTo(0, 9999)');
    const bar = await page.getByRole('button', { name: 'Run', exact: true }).boundingBox();
    expect(bar?.y).toBeGreaterThanOrEqual(0);
    expect(bar?.y).toBeLessThan(100);
    await page.setViewportSize({ width: 1099, height: 500 });
    expect(await boxOf('Result')).toBe(formBox?.x);
  });

  it('filters the list from ten formulas on', async () => {
    const names = Array.from({ length: 10 }, (_, i) => `formula ${i}`);
    const files = names.map((name, i) => formula(`f${i}`, { name }));
    const { page } = await open(Object.assign({}, ...files));
    await page.getByRole('searchbox', { name: 'Filter formulas' }).fill('ULA 7');
    const items = page.getByRole('navigation').getByRole('button');
    expect(await items.filter({ visible: true }).allTextContents()).toEqual([expect.stringContaining('formula 7')]);
    const few = await open(Object.assign({}, ...files.slice(1)));
    expect(await few.page.getByRole('searchbox').count()).toBe(0);
  });

  it('copies a result and a curl command that runs the formula', async () => {
    const { page, workbench } = await open(formula('orders'), { permissions: ['clipboard-read', 'clipboard-write'] });
    await fillAndRun(page);
    await page.getByText(/^Returned/).waitFor();
    const copy = async (name: string) => {
      await page.getByRole('button', { name }).click();
      await page.getByText('Copied').first().waitFor();
      return page.evaluate<string>('navigator.clipboard.readText()');
    };
    expect(await copy('Copy raw')).toBe(await blockText(page, 'raw'));
    const curl = await copy('Copy as curl');
    expect(curl).toContain(`echo 'Authorization: Bearer ${workbench.token}' | curl -H @-`);
    expect(curl).toContain(
      `'{"args":{"order":{"id":"A-1","total":19.99}},"configuration":{"API_URL":"https://pay.example"}}'`,
    );
  });

  it('hides the value of a key until it is to be shown', async () => {
    const configuration = [{ name: 'API_KEY', description: 'Key', type: 'string' }];
    const { page } = await open(formula('orders', { configuration }));
    const field = page.getByRole('textbox', { name: 'API_KEY string' });
    const security = () =>
      page.evaluate<string[]>(
        "[...document.querySelectorAll('textarea')].filter(({ value }) => value === 'sk_123').map((input) => getComputedStyle(input).webkitTextSecurity)",
      );
    await field.fill('sk_123');
    expect(await security()).toEqual(['disc']);
    await page.getByRole('button', { name: 'Show API_KEY' }).click();
    expect(await security()).toEqual(['none']);
  });

  it('has no group around a single field, and keeps JSON that the fields cannot have', async () => {
    const request_parameters = [{ name: 'card.number', type: 'string' }];
    const { page } = await open(formula('cards', { request_parameters }));
    await page.getByRole('textbox', { name: 'card.number string' }).fill('4242');
    expect(await page.getByRole('group').allTextContents()).toHaveLength(3);
    await page.getByRole('button', { name: 'Edit as JSON' }).click();
    const json = page.getByRole('textbox', { name: 'args as JSON' });
    expect(JSON.parse(await json.inputValue())).toEqual({ card: { number: '4242' } });
    await json.fill('{"card": {"number": "1"}, "other": 1}');
    await page.getByRole('button', { name: 'Edit as fields' }).click();
    await page.getByText('contains values that the fields cannot have').waitFor();
    await json.fill('{"card": {"number": "1"}}');
    await page.getByRole('button', { name: 'Edit as fields' }).click();
    expect(await page.getByRole('textbox', { name: 'card.number string' }).inputValue()).toBe('1');
  });

  it('adds doubles for the calls of a run that starts from nothing', async () => {
    const code = 'module.exports = async ({ bt }) => ({ raw: { id: (await bt.tokens.create(1)).id ?? null } });\n';
    const { page } = await open(formula('tokens', BARE, code));
    const addDouble = page.getByRole('button', { name: 'Add double' });
    await clickRun(page);
    await page.getByText(/^bt is null, since it has no double\./).waitFor();
    await addDouble.click();
    await clickRun(page);
    await page.getByText('{"bt":{"tokens.create":[{"returns":{}}]}}', { exact: true }).waitFor();
    await addDouble.click();
    const doubles = page.getByRole('textbox', { name: 'doubles as JSON' });
    await doubles.fill((await doubles.inputValue()).replace('"returns": {}', '"returns": { "id": "tok_1" }'));
    await clickRun(page);
    await page.getByText(/^Returned/).waitFor();
    expect(await blockText(page, 'raw')).toContain('tok_1');
    await page.getByRole('textbox', { name: 'Test name' }).fill('token');
    await page.getByRole('button', { name: 'Save as test' }).click();
    await page.getByText(/^Saved tests\/token\.json\. It contains/).waitFor();
  });

  it('compares a formula with its published version if a service is configured', async () => {
    const { page } = await open(formula('orders'), {}, { FORMULARY_PROFILE: 'local', XDG_DATA_HOME: folderWith() });
    await page.getByRole('button', { name: 'Compare' }).click();
    await expect.poll(() => blockText(page, 'What push would change')).toContain('create');
    const without = await open(formula('orders'));
    expect(await without.page.getByRole('button', { name: 'Compare' }).count()).toBe(0);
  });

  it.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 360],
    ['dark', 360],
  ] as const)('has no accessibility violations, %s and %i pixels wide, and fits', async (colorScheme, width) => {
    const files = { ...TESTED, ...formula('broken', { name: 'Broken' }, 'module.exports = (') };
    const { page } = await open(files, { colorScheme, viewport: { width, height: 800 } });
    const violations = async () => {
      await page.evaluate(axe.source);
      const found = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>('axe.run()');
      return found.violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)]);
    };
    expect(await violations()).toEqual([]);
    await page.getByRole('button', { name: /Charge order/ }).click();
    await fillAndRun(page, 'ten');
    await page.getByText('Invalid request').waitFor();
    expect(await violations()).toEqual([]);
    await fillAndRun(page, '-1');
    await page.getByText(/^Failed/).waitFor();
    expect(await violations()).toEqual([]);
    await fillAndRun(page);
    await page.getByText(/^Returned/).waitFor();
    expect(await violations()).toEqual([]);
    await page.getByRole('textbox', { name: 'total number' }).fill('9007199254740993');
    await page.getByText('Doubles', { exact: true }).click();
    await page.getByRole('button', { name: 'Run all' }).click();
    await page.getByText('2 passed, 1 failed').waitFor();
    expect(await violations()).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
  });
});

describe.skipIf(!browserPath)('a page of another origin', () => {
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  /** Opens an empty page of another port of this computer, or of another name. */
  async function openForeign(host: string) {
    const server = createServer((_, response) => {
      response.setHeader('content-type', 'text/html').end('<title>other</title>');
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    onTestFinished(() => void server.close());
    return openPage(browser, `http://${host}:${(server.address() as AddressInfo).port}/`);
  }

  /** What a script of the page gets. */
  const attempt = (page: Page, { url, token }: RunningWorkbench, mode: string) =>
    page.evaluate<string>(
      `fetch(${JSON.stringify(`${url}/formulas/orders`)}, ${JSON.stringify({
        method: 'POST',
        mode,
        body: '{}',
        headers: mode === 'cors' ? { authorization: `Bearer ${token}`, 'content-type': 'application/json' } : {},
      })}).then(({ type, status }) => type + status, ({ name }) => name)`,
    );

  /** The status of the page to which a form of the page is sent. */
  async function submitForm(page: Page, { url }: RunningWorkbench): Promise<number | undefined> {
    const form = `<form method="post" enctype="text/plain" action="${url}/formulas/orders"><input name="{}"></form>`;
    await page.setContent(form);
    const [response] = await Promise.all([page.waitForNavigation(), page.evaluate('document.forms[0].submit()')]);
    return response?.status();
  }

  it('reads and runs nothing, even with the token', async () => {
    const workbench = await startWorkbench(formula('orders'));
    const { page } = await openForeign('localhost');
    expect(await attempt(page, workbench, 'cors')).toBe('TypeError');
    expect(await attempt(page, workbench, 'no-cors')).toBe('TypeError');
    expect(await submitForm(page, workbench)).toBe(403);
    expect(workbench.texts.err).not.toContain('POST');
  });

  it('gets 403 under a name that resolves to this computer', async () => {
    const workbench = await startWorkbench(formula('orders'));
    const rebinding = await (await import('playwright-core')).chromium.launch({
      executablePath: browserPath ?? '',
      chromiumSandbox: process.geteuid?.() !== 0,
      args: ['--host-resolver-rules=MAP evil.example 127.0.0.1'],
    });
    onTestFinished(() => rebinding.close());
    const page = await rebinding.newPage();
    const response = await page.goto(workbench.url.replace('127.0.0.1', 'evil.example'));
    expect(response?.status()).toBe(403);
  });
});
