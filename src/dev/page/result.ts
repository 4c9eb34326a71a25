/** Renders the result of a run: raw and tokenize, or the error with its source lines, and the output of the code. */
import type { ListedCall, RunBody } from '../wire.ts';
import type { Reply } from './api.ts';
import { create, createBlock, visible } from './elements.ts';

const TITLES: Readonly<Record<number, string>> = {
  200: 'Returned',
  400: 'Invalid request',
  422: 'Failed',
  504: 'Timed out',
};

/** One line for the status and for screen readers. */
export function summarize({ status, body }: Reply<RunBody>): string {
  const title = TITLES[status] ?? 'Error';
  return status === 400 || !body.details
    ? `${title} (${status})`
    : `${title} (${status}) in ${body.details.duration_ms} ms`;
}

export function renderResult({ status, body }: Reply<RunBody>): HTMLElement[] {
  const { details } = body;
  const warnings = (details?.warnings ?? []).map((text) => create('li', {}, visible(text)));
  return [
    ...(status === 200 ? [renderResponse(body)] : renderError(body)),
    ...renderCalls(details?.calls ?? []),
    ...(warnings.length > 0 ? [create('h4', {}, 'Warnings'), create('ul', { class: 'warnings' }, ...warnings)] : []),
    ...(details?.printed ? [createBlock('Printed output', details.printed)] : []),
  ];
}

function renderCalls(calls: readonly ListedCall[]): HTMLElement[] {
  if (calls.length === 0) return [];
  const text = calls.map((call) => `${call.text}${call.has_double ? '' : ' (no double)'}`).join('\n');
  return [createBlock('Calls', text)];
}

const renderResponse = (body: RunBody): HTMLElement =>
  create(
    'div',
    { class: 'columns' },
    ...(['raw', 'tokenize'] as const).map((key) =>
      createBlock(key, key in body ? JSON.stringify(body[key], null, 2) : 'not returned'),
    ),
  );

function renderError({ message = '', hint, location, frame, errors }: RunBody): HTMLElement[] {
  const title = location ? `${location.file}:${location.line}:${location.column}` : 'Source';
  const list = Object.entries(errors ?? {}).flatMap(([, messages]) => messages);
  return [
    create('p', { class: 'failure' }, visible(message)),
    ...(list.length > 0
      ? [create('ul', { class: 'error' }, ...list.map((text) => create('li', {}, visible(text))))]
      : []),
    ...(hint ? [create('p', { class: 'hint' }, visible(hint))] : []),
    ...(frame ? [createBlock(title, frame)] : []),
  ];
}
