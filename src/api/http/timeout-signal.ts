/** How long a request may take. */

/**
 * A signal that is aborted after so many milliseconds, unless it is ended before. `AbortSignal.timeout` keeps what listens
 * to it until its time is over, long after the request is done.
 */
export function createTimeoutSignal(milliseconds: number): { signal: AbortSignal; clear(): void } {
  const controller = new AbortController();
  const expire = () => controller.abort(new DOMException('it took too long', 'TimeoutError'));
  const timer = setTimeout(expire, milliseconds);
  return { signal: controller.signal, clear: () => clearTimeout(timer) };
}
