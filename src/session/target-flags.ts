/** The flags that select the same service in the command of a hint. */
import type { ServiceFlags } from '../settings/resolve-target.ts';
import { shellQuote } from '../text/shell-quote.ts';

/** The flags that were passed, each after a space, quoted for a shell. Without --api-key-stdin, which was consumed. */
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
