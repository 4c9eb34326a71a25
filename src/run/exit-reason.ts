/** Determines the exit reason of an invocation from messages and the process exit. Pure. */
import type { InvocationState, ProcessExit } from './child-process.ts';
import type { ChildMessage, ExitReason } from './protocol.ts';

/** The exit code of an aborted process on systems without signals. */
const ABORT_EXIT_CODE = 134;

/** The exit reason in a message; undefined if the invocation continues. */
export function toExitReason(message: ChildMessage): ExitReason | undefined {
  const { failed, when, noFunction, tooLarge, lost = [] } = message;
  if (message.portInUse !== undefined) return { kind: 'port-in-use', port: message.portInUse };
  if (message.tooDeep) return { kind: 'too-deep' };
  if (failed && when) return { kind: 'failed', error: failed, phase: when };
  if (noFunction !== undefined) return { kind: 'no-function', found: noFunction };
  if (tooLarge !== undefined) return { kind: 'too-large', bytes: tooLarge };
  if (message.unsettled) return { kind: 'unsettled' };
  if (!('response' in message)) return undefined;
  return { kind: 'response', response: message.isNothing ? undefined : message.response, lost };
}

/** The exit reason of a process that ended without a message. */
export function explainExit(
  { code, signal, startError }: ProcessExit,
  { nodeVersion, heapReport }: InvocationState,
): ExitReason {
  if (heapReport !== undefined && (signal === 'SIGABRT' || code === ABORT_EXIT_CODE)) return { kind: 'memory' };
  if (startError !== undefined) return { kind: 'not-started', reason: `it could not be started (${startError})` };
  if (nodeVersion === undefined) return { kind: 'not-started', reason: 'it is not Node.js' };
  return { kind: 'exited', code, signal };
}
