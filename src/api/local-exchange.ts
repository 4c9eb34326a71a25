/** The embedded service's answers as an exchange: the same requests, without a network. */
import type { Exchange } from './exchange.ts';

/** Sends requests to a function from Request to Response that runs in this process. */
export function localExchange(answerTo: (request: Request) => Promise<Response>): Exchange {
  return async ({ method, path, headers, body }) => {
    const answer = await answerTo(new Request(`http://localhost${path}`, { method, headers, body: body ?? null }));
    return {
      status: answer.status,
      headers: Object.fromEntries(answer.headers),
      body: Buffer.from(await answer.arrayBuffer()),
    };
  };
}
