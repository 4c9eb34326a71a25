/** Reports the outcome of the invocation. The first one counts; later errors are reported as late. */
import type { Phase } from '../protocol.ts';
import { request, send } from './channel.ts';
import { attempt, serializeError } from './serialize-error.ts';
import { type WrittenResponse, writeResponse } from './write-response.ts';

const { stringify } = JSON;
const after = setTimeout;
const activeResources = process.getActiveResourcesInfo?.bind(process);
const { graceMs, maxBytes } = request;
let isOver = false;

/** Whether the outcome is known. */
export const hasEnded = (): boolean => isOver;

export function fail(when: Phase, error: unknown): void {
  const thrown = serializeError(error);
  send(isOver ? `{"late":${thrown}}` : `{"failed":${thrown},"when":"${when}"}`);
  isOver = true;
}

/** Sends the response, with the paths of values that JSON cannot represent. */
export function sendResponse(response: unknown): void {
  let written: WrittenResponse;
  try {
    written = writeResponse(response);
  } catch (error) {
    fail('writing', error);
    return;
  }
  isOver = true;
  const { json, lost, isTooDeep } = written;
  if (isTooDeep) {
    send('{"tooDeep":true}');
    return;
  }
  if (json !== undefined && json.length > maxBytes) {
    send(`{"tooLarge":${json.length}}`);
    return;
  }
  send(`{"response":${json ?? `null,"isNothing":true`},"lost":${stringify(lost)}}`);
  // The timer is unreferenced: a process without open resources ends before it.
  after(() => send(`{"open":${attempt(() => stringify(activeResources?.() ?? [])) ?? '[]'}}`), graceMs).unref();
}
