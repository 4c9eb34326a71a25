/** From flags to the seam that requests go through; what a target needs is loaded only for that target. */
import { setFlagsFromString } from 'node:v8';
import { createSend, type Send } from '../api/client.ts';
import { shownExchange } from '../api/debug.ts';
import type { Exchange } from '../api/exchange.ts';
import type { Host } from '../host.ts';
import { visible } from '../output/escape.ts';
import { resolveTarget, type ServiceFlags } from '../settings.ts';

/** Resolves the settings and opens the way to the service that they name. Raises usage or denied. */
export async function connect(flags: ServiceFlags, host: Host): Promise<Send> {
  const target = await resolveTarget(flags, host);
  const patience = {
    budgetMs: target.retryTimeoutMs,
    now: host.now,
    sleep: host.sleep,
    random: Math.random,
    warn: (text: string) => host.stderr.write(`${visible(text)}\n`),
  };
  if (target.kind === 'local') {
    const { localExchange } = await import('../api/local-exchange.ts');
    const { openLocal } = await import('../service/local.ts');
    const service = await openLocal(target.dataFile);
    const exchange = shown(localExchange(service.fetch), '', undefined, flags, host);
    return createSend(exchange, 'the embedded service', patience);
  }
  // Else Node waits at its end for the optimising compiler's work on undici's WebAssembly parser, which few requests do not need.
  setFlagsFromString('--liftoff-only');
  const { openTransport } = await import('../api/transport.ts');
  const { service } = target;
  const where = service.baseUrl.href.replace(/\/$/, '');
  host.hide((text) => service.key.hideIn(text));
  if (service.isUnencrypted) patience.warn(`warning: the key travels unencrypted to ${service.baseUrl.host}`);
  return createSend(shown(openTransport(service), where, service.keyHeader, flags, host), where, patience);
}

/** Under --debug each request and answer is said on stderr. */
function shown(
  exchange: Exchange,
  where: string,
  keyHeader: string | undefined,
  flags: ServiceFlags,
  host: Host,
): Exchange {
  return flags.debug
    ? shownExchange(exchange, where, keyHeader, (line) => host.stderr.write(`${visible(line)}\n`))
    : exchange;
}
