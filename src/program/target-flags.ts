/** The flags that lead to the same service again, for commands that a hint proposes. */
import type { ServiceFlags } from '../settings/resolve-target.ts';
import { shellQuote } from '../text/shell-quote.ts';

/** What was typed of them, with a space before each, ready for a shell; a key on standard input was read by now. */
export function formatTargetFlags(flags: ServiceFlags, platform: string): string {
  const { local, profile, baseUrl, insecureHttp, apiKeyFile, apiKeyHeader, caFile, target } = flags;
  const formatFlag = (flag: string, value: string | undefined) =>
    value === undefined ? '' : ` ${flag} ${shellQuote(value, platform)}`;
  return [
    local ? ' --local' : '',
    formatFlag('--profile', profile),
    formatFlag('--base-url', baseUrl),
    insecureHttp ? ' --insecure-http' : '',
    formatFlag('--api-key-file', apiKeyFile),
    formatFlag('--api-key-header', apiKeyHeader),
    formatFlag('--ca-file', caFile),
    formatFlag('--target', target),
  ].join('');
}
