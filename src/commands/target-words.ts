/** The flags that lead to the same service again, for commands that a hint proposes. */
import type { ServiceFlags } from '../settings.ts';
import { shellWord } from '../shell-word.ts';

/** What was typed of --local, --profile, --base-url and --insecure-http, with a space before each, ready for a shell. */
export function targetWords({ local, profile, baseUrl, insecureHttp }: ServiceFlags): string {
  return [
    local ? ' --local' : '',
    profile === undefined ? '' : ` --profile ${shellWord(profile)}`,
    baseUrl === undefined ? '' : ` --base-url ${shellWord(baseUrl)}`,
    insecureHttp ? ' --insecure-http' : '',
  ].join('');
}
