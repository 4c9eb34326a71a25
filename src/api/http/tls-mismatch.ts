/** Tells http:// to a port that speaks TLS from a connection that broke. */
import { type Exchange, ExchangeFault } from './http.ts';

/** When the first request ends without an answer in HTTP, the port is asked once whether it speaks TLS. */
export function namingTls(exchange: Exchange, url: URL): Exchange {
  let isKnown = false;
  return async (request, mostMs) => {
    try {
      const answer = await exchange(request, mostMs);
      isKnown = true;
      return answer;
    } catch (error) {
      if (isKnown || !(error instanceof ExchangeFault) || !isSilent(error)) throw error;
      isKnown = true;
      const { speaksTls } = await import('./tls-probe.ts');
      if (!(await speaksTls(url))) throw error;
      // What waits for a handshake has not read a request.
      throw new ExchangeFault({ ...error, kind: 'tls-wanted', mayHaveArrived: false, cause: error });
    }
  };
}

function isSilent({ kind, cause }: ExchangeFault): boolean {
  const { socket } = (cause ?? {}) as { socket?: { bytesRead?: number } };
  return kind === 'unreadable' || (kind === 'reset' && !socket?.bytesRead);
}
