/** --debug: an exchange that shows each request and answer as it goes by. */
import { displayText } from './body-text.ts';
import { type Exchange, ExchangeFault } from './http.ts';

const MAX_BODY = 2000;
const MAX_READ = 1024 * 1024;

/**
 * Shows to `write`, a line each: method, address, headers, bodies (cut), status and time. The key is shown as hidden;
 * `hide` takes it out of what is shown, before that is cut.
 */
export function shownExchange(
  exchange: Exchange,
  where: string,
  keyHeader: string | undefined,
  hide: (text: string) => string,
  write: (line: string) => void,
): Exchange {
  return async (request, mostMs) => {
    const began = performance.now();
    write(`> ${request.method} ${where}${request.path}`);
    const headers = { ...request.headers, ...(keyHeader !== undefined && { [keyHeader]: '[hidden]' }) };
    for (const [name, value] of Object.entries(headers)) write(`> ${name}: ${value}`);
    if (request.body !== undefined) write(`> ${cut(hide(request.body))}`);
    const time = () => `${Math.round(performance.now() - began)} ms`;
    try {
      const answer = await exchange(request, mostMs);
      write(`< ${answer.status} after ${time()}`);
      for (const [name, value] of Object.entries(answer.headers)) write(`< ${name}: ${hide(value ?? '')}`);
      const shown = { headers: answer.headers, body: answer.body.subarray(0, MAX_READ) };
      if (answer.body.length > 0) write(`< ${cut(hide(displayText(shown)))}`);
      return answer;
    } catch (error) {
      if (error instanceof ExchangeFault) write(`< no answer after ${time()}: ${error.kind} (${error.code})`);
      throw error;
    }
  };
}

const cut = (text: string) =>
  text.length > MAX_BODY ? `${text.slice(0, MAX_BODY)}… (${text.length} characters)` : text;
