/** Addresses that came with quotes around them. */
import { describe, expect, it } from 'vitest';
import { run } from '../helpers/test-host.ts';

const SET = { FORMULARY_API_KEY: 'k-123456789', FORMULARY_BASE_URL: 'https://api.example.com' };

describe('a URL in quotes', () => {
  it.each([
    ['FORMULARY_BASE_URL', '"https://api.example.com"'],
    ['FORMULARY_BASE_URL', "'http://api.example.com'"],
    ['HTTPS_PROXY', '"http://127.0.0.1:9"'],
  ])('in %s is rejected, and the quotes are reported', async (name, value) => {
    const { code, err } = await run(['formula', 'list'], { env: { ...SET, [name]: value } });
    expect(code).toBe(2);
    expect(err).toContain(`${name} has quotes around its value`);
    expect(err).not.toContain('--insecure-http');
  });
});
