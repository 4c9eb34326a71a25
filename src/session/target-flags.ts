/** The flags that select the same service in the command of a hint. */
import { isPassedPipe } from '../files/paths.ts';
import type { ServiceFlags } from '../settings/resolve-target.ts';
import { shellQuote } from '../text/shell-quote.ts';

/** The flags that were passed, each after a space, quoted for a shell. Without --api-key-stdin and pipes, which were consumed. */
export function formatTargetFlags(flags: ServiceFlags, platform: string): string {
  const { local, profile, baseUrl, insecureHttp, apiKeyFile, apiKeyHeader, caFile, target } = flags;
  const formatFlag = (flag: string, value: string | undefined) =>
    value === undefined ? '' : ` ${flag} ${shellQuote(value, platform)}`;
  const formatFile = (flag: string, file: string | undefined) =>
    formatFlag(flag, isPassedPipe(file ?? '') ? undefined : file);
  return [
    local ? ' --local' : '',
    formatFlag('--profile', profile),
    formatFlag('--base-url', baseUrl),
    insecureHttp ? ' --insecure-http' : '',
    formatFile('--api-key-file', apiKeyFile),
    formatFlag('--api-key-header', apiKeyHeader),
    formatFile('--ca-file', caFile),
    formatFlag('--target', target),
  ].join('');
}
