/** The flags that lead to the same service again, for commands that a hint proposes. */
import type { ServiceFlags } from '../settings.ts';

/** What was typed of --local, --profile, --base-url and --insecure-http, with a space before each, ready for a shell. */
export function targetWords({ local, profile, baseUrl, insecureHttp }: ServiceFlags): string {
  return [
    local ? ' --local' : '',
    profile === undefined ? '' : ` --profile ${quoted(profile)}`,
    baseUrl === undefined ? '' : ` --base-url ${quoted(baseUrl)}`,
    insecureHttp ? ' --insecure-http' : '',
  ].join('');
}

const quoted = (word: string) => (/^[\w.:/@%+=,[\]-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
