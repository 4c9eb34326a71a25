/** The flags that lead to the same service again, for commands that a hint proposes. */
import type { ServiceFlags } from '../settings/resolve-target.ts';
import { shellWord } from '../text/shell-quote.ts';

/** What was typed of them, with a space before each, ready for a shell; a key on standard input was read by now. */
export function targetWords(flags: ServiceFlags, platform: string): string {
  const { local, profile, baseUrl, insecureHttp, apiKeyFile, apiKeyHeader, caFile, target } = flags;
  const given = (flag: string, value: string | undefined) =>
    value === undefined ? '' : ` ${flag} ${shellWord(value, platform)}`;
  return [
    local ? ' --local' : '',
    given('--profile', profile),
    given('--base-url', baseUrl),
    insecureHttp ? ' --insecure-http' : '',
    given('--api-key-file', apiKeyFile),
    given('--api-key-header', apiKeyHeader),
    given('--ca-file', caFile),
    given('--target', target),
  ].join('');
}
