/** Logs each request and response for --debug. */

import { truncateText } from '../../text/shorten.ts';
import { toDisplayText } from './body-text.ts';
import { type HttpExchange, NetworkError } from './http.ts';

const MAX_BODY_LENGTH = 2000;
const MAX_READ_BYTES = 1024 * 1024;

/**
 * Writes method, URL, headers, truncated bodies, status, and time, one per line. The key header is `[hidden]`; bodies are
 * redacted before they are truncated.
 */
export function withDebugLog(
  exchange: HttpExchange,
  baseUrl: string,
  keyHeader: string | undefined,
  redact: (text: string) => string,
  write: (line: string) => void,
): HttpExchange {
  return async (request, timeoutMs) => {
    const startedAt = performance.now();
    write(`> ${request.method} ${baseUrl}${request.path}`);
    const headers = { ...request.headers, ...(keyHeader !== undefined && { [keyHeader]: '[hidden]' }) };
    for (const [name, value] of Object.entries(headers)) write(`> ${name}: ${value}`);
    if (request.body !== undefined) write(`> ${truncateBody(redact(request.body))}`);
    const formatElapsed = () => `${Math.round(performance.now() - startedAt)} ms`;
    try {
      const response = await exchange(request, timeoutMs);
      write(`< ${response.status} after ${formatElapsed()}`);
      for (const [name, value] of Object.entries(response.headers)) write(`< ${name}: ${redact(value ?? '')}`);
      const preview = { headers: response.headers, body: response.body.subarray(0, MAX_READ_BYTES) };
      if (response.body.length > 0) write(`< ${truncateBody(redact(toDisplayText(preview)))}`);
      return response;
    } catch (error) {
      if (error instanceof NetworkError) write(`< no response after ${formatElapsed()}: ${error.kind} (${error.code})`);
      throw error;
    }
  };
}

const truncateBody = (text: string) =>
  text.length > MAX_BODY_LENGTH ? `${truncateText(text, MAX_BODY_LENGTH)} (${text.length} characters)` : text;
