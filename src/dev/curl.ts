/** Formats the curl command that runs a formula, for the terminal and the page. Pure. */
import { shellQuote } from '../text/shell-quote.ts';

/** Other users can read arguments, so the token is in its input. */
export function formatCurl(request: object, url: string, token: string, platform: string): string {
  const args = [
    `-H ${shellQuote('Content-Type: application/json', platform)}`,
    `-d ${shellQuote(JSON.stringify(request), platform)}`,
    shellQuote(url, platform),
  ];
  return `echo ${shellQuote(`Authorization: Bearer ${token}`, platform)} | curl -H @- ${args.join(' ')}`;
}
