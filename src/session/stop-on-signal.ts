/** Stops a command at the first signal, after the requests in flight. */
import type { Host } from '../host/host.ts';

/** From now on, the first Ctrl-C lets the requests in flight finish, and prints so on a terminal. */
export function stopOnSignal({ verbose }: { verbose?: boolean | undefined }, host: Host): void {
  const isFirst = host.installSignalHandlers();
  if (!isFirst || !(host.stderr.isTerminal || verbose)) return;
  host.abortSignal.addEventListener('abort', () =>
    host.stderr.write('Stopping after the requests in flight finish. Press Ctrl-C again to quit now.\n'),
  );
}
