import { describe, expect, it } from 'vitest';
import { CliError, EXIT_CODES, toErrorDocument } from '../src/errors.ts';
import { supportsColor } from '../src/host/streams.ts';
import { hasJsonFlag, main } from '../src/main.ts';
import { run, testHost } from './helpers/test-host.ts';

describe('errors are printed as JSON', () => {
  it.each<[string[], boolean]>([
    [['formula', 'list', '--json'], true],
    [['formula', 'list', '-o', 'json'], true],
    [['formula', 'list', '-ojson'], true],
    [['formula', 'list', '--output=json'], true],
    [['formula', 'list', '--output', 'json'], true],
    [['formula', 'get', 'json'], false],
    [['formula', 'get', '--', '--json'], false],
    [['formula', 'list', '-o', 'table'], false],
  ])('by %j: %s', (argv, wanted) => {
    expect(hasJsonFlag(argv)).toBe(wanted);
  });
});

describe('an internal error', () => {
  it('is reported without a stack trace, with the versions for a report, and exits with 70', async () => {
    const { host, texts } = testHost({});
    const broken = {
      ...host,
      cwd: () => {
        throw new TypeError('x is not a function');
      },
    };
    expect(await main(['formula', 'init', 'new'], broken)).toBe(70);
    expect(texts.out).toBe('');
    expect(texts.err).toMatch(/bug in formulary.*x is not a function\nhint: .*formula init.*Node\.js 20\.19\.0/);
    expect(texts.err).not.toMatch(/\n\s+at /);
  });
});

describe('an error', () => {
  it('as a document contains the known values and nothing else', () => {
    expect(toErrorDocument(new CliError('usage', 'no'))).toEqual({
      error: { code: 'usage', exit_code: 2, message: 'no' },
    });
    const more = { hint: 'h', status: 403, details: { a: 1 } };
    expect(toErrorDocument(new CliError('denied', 'no', { ...more, requestId: 'r' }))).toEqual({
      error: { code: 'denied', exit_code: 4, message: 'no', ...more, request_id: 'r' },
    });
  });

  it('of each outcome has a number of its own', () => {
    const numbers = Object.values(EXIT_CODES);
    expect(new Set(numbers).size).toBe(numbers.length);
  });
});

describe('color', () => {
  it.each<[boolean, Record<string, string>, boolean]>([
    [true, { TERM: 'xterm' }, true],
    [false, { TERM: 'xterm' }, false],
    [true, { TERM: 'dumb' }, false],
    [true, { TERM: 'xterm', NO_COLOR: '1' }, false],
    [true, { TERM: 'xterm', NO_COLOR: '' }, true],
    [false, { FORCE_COLOR: '1' }, true],
    [true, { TERM: 'xterm', FORCE_COLOR: '0' }, false],
    [false, { NO_COLOR: '1', FORCE_COLOR: '1' }, false],
  ])('on a terminal: %s, with %j: %s', (isTerminal, env, wanted) => {
    expect(supportsColor(isTerminal, env)).toBe(wanted);
  });
});

describe('--color and --no-color', () => {
  it.each([
    [['formula', 'lst', '--color'], true],
    [['formula', 'lst', '--color', '--no-color'], false],
    [['formula', 'lst', '--', '--color'], false],
    [['formula', 'lst'], false],
  ])('apply to errors too: %j', async (argv, isColoured) => {
    const { err } = await run(argv);
    expect(err.includes('\x1b[31merror:')).toBe(isColoured);
  });
});

describe('the key', () => {
  it('is in no error of a request', async () => {
    const env = { FORMULARY_BASE_URL: 'http://127.0.0.1:1', FORMULARY_API_KEY: 'key_secret' };
    for (const flags of [[], ['--json']]) {
      const { code, out, err } = await run(['formula', 'list', ...flags], { env });
      expect(code).toBe(8);
      expect(out + err).not.toContain('key_secret');
    }
  });
});
