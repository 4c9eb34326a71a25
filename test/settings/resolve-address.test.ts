/** Which address, key and header are chosen of those that flags, environment and kept profiles offer. */
import { describe, expect, it } from 'vitest';
import { CliError } from '../../src/errors.ts';
import { type Host, withRedaction } from '../../src/host/host.ts';
import { ApiKey } from '../../src/secrets/api-key.ts';
import { resolveTarget, type ServiceFlags } from '../../src/settings/resolve-target.ts';
import { writeProfile } from '../../src/state/profiles.ts';
import { folderWith } from '../helpers/folders.ts';
import { testHost } from '../helpers/test-host.ts';

const KEPT = { default: 'https://kept.test', prod: 'https://prod.test/v1' };

/** A user who keeps the key `default-key` and `prod-key`; keys of flags come from standard input. */
function user(env: Record<string, string>): Host {
  const host = withRedaction(testHost({ env: { XDG_CONFIG_HOME: folderWith(), ...env }, stdin: 'stdin-key' }).host);
  for (const [name, baseUrl] of Object.entries(KEPT)) {
    writeProfile(host, { name, baseUrl, key: new ApiKey(`${name}-key`, 'test'), keyHeader: `X-${name}` });
  }
  return host;
}

/** What is chosen, as `address key header`, or the outcome of the refusal. */
async function chosen(flags: ServiceFlags, env: Record<string, string>): Promise<string> {
  try {
    const { address, found } = await resolveTarget(flags, user(env));
    if (address.kind === 'local') return 'local';
    const { baseUrl, keyHeader } = address;
    const key = found?.key as ApiKey;
    const keys = ['default-key', 'prod-key', 'environment-key', 'stdin-key'];
    const shown = keys.find((value) => key.redactIn(`${value}.`) === '[hidden].') ?? '?';
    return `${baseUrl.host} ${shown} ${keyHeader}`;
  } catch (error) {
    if (error instanceof CliError) return error.outcome;
    throw error;
  }
}

const ADDRESS = { FORMULARY_BASE_URL: 'https://env.test' };
const KEY = { FORMULARY_API_KEY: 'environment-key' };
const HEADER = { FORMULARY_API_KEY_HEADER: 'X-Env' };
const PROD = { FORMULARY_PROFILE: 'prod' };
const LOCAL = { FORMULARY_PROFILE: 'local', FORMULARY_LOCAL_DATA: '/x.db' };

describe('the service of a command', () => {
  it.each<[ServiceFlags, Record<string, string>, string]>([
    [{}, {}, 'kept.test default-key X-default'],
    [{}, { ...ADDRESS, ...KEY }, 'env.test environment-key SVC-API-KEY'],
    [{}, { ...ADDRESS, ...KEY, ...HEADER }, 'env.test environment-key X-Env'],
    [{}, HEADER, 'kept.test default-key X-Env'],
    [{ apiKeyHeader: 'X-Flag' }, HEADER, 'kept.test default-key X-Flag'],
    // A key of the environment goes to the address that was resolved, with the header of that address.
    [{}, KEY, 'kept.test environment-key X-default'],
    [{ apiKeyStdin: true }, KEY, 'kept.test stdin-key X-default'],
    // A saved key is sent only to its own URL, however that is set.
    [{}, ADDRESS, 'denied'],
    [{ baseUrl: 'https://other.test' }, {}, 'denied'],
    [{ baseUrl: 'https://kept.test:8443' }, {}, 'denied'],
    [{ baseUrl: 'https://kept.test/v1' }, {}, 'denied'],
    [{ baseUrl: 'HTTPS://KEPT.test:443/' }, {}, 'kept.test default-key X-default'],
    [{}, { FORMULARY_BASE_URL: 'https://kept.test' }, 'kept.test default-key X-default'],
    // Empty values and whitespace count as not set.
    [
      {},
      { FORMULARY_BASE_URL: ' ', FORMULARY_API_KEY: '\n', FORMULARY_PROFILE: '' },
      'kept.test default-key X-default',
    ],
    // A profile is a pair that takes precedence over the environment.
    [{ profile: 'prod' }, {}, 'prod.test prod-key X-prod'],
    [{ profile: 'prod' }, { ...ADDRESS, ...KEY, ...HEADER }, 'prod.test prod-key X-prod'],
    [{}, { ...PROD, ...ADDRESS, ...KEY, ...HEADER }, 'prod.test prod-key X-prod'],
    [{ profile: 'default' }, PROD, 'kept.test default-key X-default'],
    [{ profile: 'prod', apiKeyStdin: true, apiKeyHeader: 'X-Flag' }, KEY, 'prod.test stdin-key X-Flag'],
    // A URL of a flag takes precedence over that of a profile, whose key is then not used.
    [{ profile: 'prod', baseUrl: 'https://other.test' }, {}, 'denied'],
    [{ profile: 'prod', baseUrl: 'https://prod.test/v1/' }, {}, 'prod.test prod-key X-prod'],
    [{ baseUrl: 'https://other.test' }, { ...PROD, ...KEY }, 'other.test environment-key SVC-API-KEY'],
    // The embedded service.
    [{ local: true }, { ...LOCAL, ...ADDRESS, ...KEY }, 'local'],
    [{ local: true }, { ...LOCAL, ...PROD }, 'local'],
    [{ profile: 'local' }, { ...LOCAL, ...ADDRESS }, 'local'],
    [{}, { ...LOCAL, ...ADDRESS }, 'local'],
    [{ profile: 'prod' }, LOCAL, 'prod.test prod-key X-prod'],
    [{ baseUrl: 'https://kept.test' }, LOCAL, 'kept.test default-key X-default'],
    [{ local: true, baseUrl: 'https://x.test' }, LOCAL, 'usage'],
    [{ local: true, profile: 'prod' }, LOCAL, 'usage'],
    [{ profile: 'local', baseUrl: 'https://x.test' }, LOCAL, 'usage'],
    [{ local: true, profile: 'local' }, LOCAL, 'local'],
    // Names that do not exist.
    [{ profile: 'prd' }, {}, 'usage'],
    [{ profile: '' }, {}, 'usage'],
    [{}, { FORMULARY_PROFILE: 'prd' }, 'usage'],
    [{ baseUrl: '' }, {}, 'usage'],
  ])('with the flags %j and the environment %j: %s', async (flags, env, wanted) => {
    expect(await chosen(flags, env)).toBe(wanted);
  });

  it('lists the profiles if the requested one does not exist', async () => {
    await expect(resolveTarget({ profile: 'prd' }, user({}))).rejects.toMatchObject({
      message: expect.stringContaining('"prd"'),
      hint: expect.stringContaining('default, prod, local'),
    });
  });

  it('reports whose key was not used for another URL', async () => {
    await expect(resolveTarget({ profile: 'prod', baseUrl: 'https://other.test' }, user({}))).rejects.toMatchObject({
      message: expect.stringMatching(/https:\/\/other\.test.*"prod".*https:\/\/prod\.test\/v1/),
      hint: expect.stringContaining('auth login'),
    });
  });
});
