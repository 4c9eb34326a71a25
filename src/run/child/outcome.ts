/** How the invocation ends, as messages to the tool: the first outcome counts, later errors are reported as late. */
import type { Phase } from '../protocol.ts';
import { request, say } from './channel.ts';
import { safely, thrownText } from './thrown-text.ts';
import { type WrittenResponse, writeResponse } from './write-response.ts';

const { stringify } = JSON;
const after = setTimeout;
const activeResources = process.getActiveResourcesInfo?.bind(process);
const { graceMs, maxBytes } = request;
let isOver = false;

/** Whether the outcome is known. */
export const hasEnded = (): boolean => isOver;

export function fail(when: Phase, error: unknown): void {
  const thrown = thrownText(error);
  say(isOver ? `{"late":${thrown}}` : `{"failed":${thrown},"when":"${when}"}`);
  isOver = true;
}

/** The response as JSON, with the places of what JSON cannot represent. */
export function sayResponse(response: unknown): void {
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
    say('{"tooDeep":true}');
    return;
  }
  if (json !== undefined && json.length > maxBytes) {
    say(`{"tooLarge":${json.length}}`);
    return;
  }
  say(`{"response":${json ?? `null,"isNothing":true`},"lost":${stringify(lost)}}`);
  // Who is done ends by itself before this; it keeps nobody alive.
  after(() => say(`{"open":${safely(() => stringify(activeResources?.() ?? [])) ?? '[]'}}`), graceMs).unref();
}
