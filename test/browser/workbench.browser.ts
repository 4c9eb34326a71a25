/** The page of formula dev in a real browser. */
import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
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

async function open(files: Record<string, string>, options?: Parameters<typeof openPage>[2]) {
  const workbench = await startWorkbench(files);
  const opened = await openPage(browser, workbench.texts.out.trim(), options);
  await opened.page.getByRole('heading', { level: 2 }).waitFor();
  return { ...opened, workbench };
}

async function fillAndRun(page: Page, total = '19.99') {
  await page.getByRole('textbox', { name: 'id string' }).fill('A-1');
  await page.getByRole('textbox', { name: 'total number' }).fill(total);
  await page.getByRole('textbox', { name: 'API_URL string' }).fill('https://pay.example');
  await page.getByRole('button', { name: 'Run' }).click();
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
    await page.getByText(/^Returned \(200\) in \d+ ms$/).waitFor();
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
    await page.getByText('Invalid request (400)').waitFor();
    expect(await total.getAttribute('aria-invalid')).toBe('true');
    expect(await total.evaluate((input) => input === input.ownerDocument.activeElement)).toBe(true);
  });

  it('shows the message and the source lines of code that fails', async () => {
    const { page } = await open(formula('orders'));
    await fillAndRun(page, '-1');
    await page.getByText(/^Failed \(422\)/).waitFor();
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
    await page.getByText('No errors or warnings.').waitFor();
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
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByText(/^Returned/).waitFor();
    expect(await blockText(page, 'Calls')).toBe('bt.tokens.create(1)');
    expect(JSON.parse((await blockText(page, 'raw')) ?? '')).toMatchObject({ args: test.args, t: 'tok_1' });
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
      request_parameters: [{ name: 'a', type: 'string', description: EVIL_NAME }],
    };
    const code = `module.exports = async ({ args, configuration }) => ({ raw: { x: ${JSON.stringify(EVIL_NAME)}, args, configuration } });\n`;
    const { page, errors } = await open(formula('evil', evil, code));
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByText(/^Returned/).waitFor();
    expect(await page.getByRole('heading', { level: 2 }).textContent()).toBe(EVIL_NAME);
    expect(await page.locator('img').count()).toBe(0);
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
    await tabTo('Run');
    await page.keyboard.press('Enter');
    await page.getByText(/^Returned/).waitFor();
    await tabTo('Test name');
    await page.keyboard.type('keys');
    await page.keyboard.press('Enter');
    await page.getByText(/^Saved/).waitFor();
    expect(existsSync(join(workbench.cwd, 'refunds/tests/keys.json'))).toBe(true);
  });

  it.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 360],
    ['dark', 360],
  ] as const)('has no accessibility violations, %s and %i pixels wide, and fits', async (colorScheme, width) => {
    const files = { ...formula('orders'), ...formula('broken', { name: 'Broken' }, 'module.exports = (') };
    const { page } = await open(files, { colorScheme, viewport: { width, height: 800 } });
    const violations = async () => {
      await page.evaluate(axe.source);
      const found = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>('axe.run()');
      return found.violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)]);
    };
    expect(await violations()).toEqual([]);
    await page.getByRole('button', { name: /Charge order/ }).click();
    await fillAndRun(page, 'ten');
    await page.getByText('Invalid request (400)').waitFor();
    expect(await violations()).toEqual([]);
    await fillAndRun(page, '-1');
    await page.getByText(/^Failed/).waitFor();
    expect(await violations()).toEqual([]);
    await fillAndRun(page);
    await page.getByText(/^Returned/).waitFor();
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
