import { describe, expect, it } from 'vitest';
import { formatTargetFlags } from '../../src/session/target-flags.ts';
import type { ServiceFlags } from '../../src/settings/resolve-target.ts';

describe('the flags that select the same service', () => {
  it.each<[ServiceFlags, string]>([
    [{}, ''],
    [{ local: true }, ' --local'],
    [{ profile: 'prod' }, ' --profile prod'],
    [{ baseUrl: 'http://x.test:80/v1', insecureHttp: true }, ' --base-url http://x.test:80/v1 --insecure-http'],
    [{ profile: 'prod', baseUrl: "https://x.test/a b'c" }, " --profile prod --base-url 'https://x.test/a b'\\''c'"],
    [{ apiKeyFile: 'my key.txt', apiKeyHeader: 'X-Key' }, " --api-key-file 'my key.txt' --api-key-header X-Key"],
    [{ local: true, target: 'staging' }, ' --local --target staging'],
    [{ caFile: 'ca.pem' }, ' --ca-file ca.pem'],
    [{ apiKeyStdin: true, timeout: '3' }, ''],
    // Pipes, which were read.
    [{ apiKeyFile: '/dev/fd/63', caFile: '/proc/self/fd/3', profile: 'a' }, ' --profile a'],
  ])('of %j are "%s"', (flags, words) => {
    expect(formatTargetFlags(flags, 'linux')).toBe(words);
  });
});
