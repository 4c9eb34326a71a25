/** Tells http:// to a port that speaks TLS from a connection that broke. */
import { type HttpExchange, NetworkError } from './http.ts';

/** When the first request ends without an answer in HTTP, the port is asked once whether it speaks TLS. */
export function withTlsDetection(exchange: HttpExchange, url: URL): HttpExchange {
  let isDecided = false;
  return async (request, timeoutMs) => {
    try {
      const response = await exchange(request, timeoutMs);
      isDecided = true;
      return response;
    } catch (error) {
      if (isDecided || !(error instanceof NetworkError) || !endedWithoutResponse(error)) throw error;
      isDecided = true;
      const { probeTlsSupport } = await import('./tls-probe.ts');
      if (!(await probeTlsSupport(url))) throw error;
      // What waits for a handshake has not read a request.
      throw new NetworkError({ ...error, kind: 'tls-wanted', mayHaveArrived: false, cause: error });
    }
  };
}

function endedWithoutResponse({ kind, cause }: NetworkError): boolean {
  const { socket } = (cause ?? {}) as { socket?: { bytesRead?: number } };
  return kind === 'unreadable' || (kind === 'reset' && !socket?.bytesRead);
}
