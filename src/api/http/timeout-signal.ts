/** The time limit of a request. */

/**
 * A signal that aborts after a time, unless it is cleared before. `AbortSignal.timeout` would keep its listeners until the
 * time is over, long after the request has ended.
 */
export function createTimeoutSignal(milliseconds: number): { signal: AbortSignal; clear(): void } {
  const controller = new AbortController();
  const expire = () => controller.abort(new DOMException('timed out', 'TimeoutError'));
  const timer = setTimeout(expire, milliseconds);
  return { signal: controller.signal, clear: () => clearTimeout(timer) };
}
