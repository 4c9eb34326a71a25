/** The result of a run: raw and tokenize, or the error with its source lines, calls, and the output of the code. */
import type { Doubles } from '../../run/doubles/doubles.ts';
import { truncateText } from '../../text/shorten.ts';
import type { ListedCall, ListedFormula, RunBody, TestVerdict } from '../wire.ts';
import type { Reply } from './api.ts';
import { create, createBlock, createButton, find, showStatus, visible } from './elements.ts';

const TITLES: Readonly<Record<number, string>> = {
  200: 'Returned',
  400: 'Invalid request',
  422: 'Failed',
  504: 'Timed out',
};

/** The result in a panel; `toText` returns a text that differs for other input, `addDouble` adds a double to the form. */
export function createResult(panel: HTMLElement, toText: () => string, addDouble: (add: Doubles) => void) {
  /** The run that is shown: its input, and the code that ran. */
  let shown: { input: string; hash: string | undefined; listedHash?: string } | undefined;
  const render = (text: string, isOk: boolean | undefined, time: string, content: readonly HTMLElement[]) => {
    showStatus(find('.bar .status', panel), text, isOk);
    find('.time', panel).textContent = time;
    find('.result', panel).replaceChildren(...content);
  };
  return {
    /** Removes a result whose input is no longer in the form. */
    clear: (text: string, isOk?: boolean) => {
      shown = undefined;
      panel.classList.remove('is-old');
      find('.old', panel).hidden = true;
      render(text, isOk, '', [create('p', { class: 'hint' }, 'The result, calls, and output of a run appear here.')]);
    },
    show: (reply: Reply<RunBody>) => {
      const isOk = reply.body.details?.test?.passed ?? reply.status === 200;
      render(summarize(reply), isOk, new Date().toLocaleTimeString(), renderReply(reply, addDouble));
      shown = { input: toText(), hash: reply.body.details?.hash };
    },
    /** Marks the result if the input or the code has changed since. */
    checkAge: ({ hash }: ListedFormula) => {
      if (!shown) return;
      // The list may still have older code than the one that ran.
      shown.listedHash ??= hash;
      const isInputOld = shown.input !== toText();
      const isOld = isInputOld || (hash !== shown.hash && hash !== shown.listedHash);
      panel.classList.toggle('is-old', isOld);
      find('.old', panel).hidden = !isOld;
      const subject = isInputOld ? 'input' : 'code';
      find('.old', panel).textContent = `Old result: the ${subject} has changed since this run.`;
    },
  };
}

/** One line for the status and for screen readers. */
function summarize({ status, body: { details, error, findings } }: Reply<RunBody>): string {
  if (findings) return 'Invalid formula';
  const code = error?.status === undefined ? '' : ` with ${JSON.stringify(error.status)}`;
  const duration = status !== 400 && details ? ` in ${details.duration_ms} ms` : '';
  const verdict = details?.test ? `, test ${details.test.passed ? 'passed' : 'failed'}` : '';
  return `${TITLES[status] ?? 'Error'}${code}${duration}${verdict}`;
}

function renderReply({ status, body }: Reply<RunBody>, addDouble: (add: Doubles) => void): HTMLElement[] {
  const { details } = body;
  const warnings = (details?.warnings ?? []).map((text) => create('li', {}, visible(text)));
  return [
    ...(details?.test?.passed === false ? renderVerdict(details.test) : []),
    ...(status === 200 ? renderResponse(body) : renderError(body)),
    ...renderList(
      'Calls',
      'calls',
      (details?.calls ?? []).map((call) => renderCall(call, addDouble)),
    ),
    ...renderList('Warnings', 'warnings', warnings),
    ...(details?.printed ? [createBlock('Printed output', details.printed)] : []),
  ];
}

function renderVerdict({ message, diff }: TestVerdict): HTMLElement[] {
  return [
    create('p', { class: 'failure' }, visible(`The test failed: ${message}`)),
    ...(diff ? [createBlock('Difference', diff, { isDiff: true })] : []),
  ];
}

/** None without items. */
function renderList(title: string, kind: string, items: readonly HTMLElement[]): HTMLElement[] {
  const list = create('ul', { class: kind, 'aria-label': title }, ...items);
  return items.length === 0 ? [] : [create('section', { class: 'block' }, create('h4', {}, title), list)];
}

const MAX_DOUBLE = 200;

function renderCall({ text, has_double, add }: ListedCall, addDouble: (add: Doubles) => void): HTMLElement {
  const item = create('li', {}, create('code', {}, visible(text)), has_double ? '' : ' (no double)');
  if (!add) return item;
  const button = createButton('Add double', { class: 'small' }, () => {
    addDouble(add);
    button.replaceWith('added');
  });
  const shown = create('code', {}, visible(truncateText(JSON.stringify(add), MAX_DOUBLE)));
  item.append(' ', button, create('p', { class: 'hint' }, shown));
  return item;
}

const renderResponse = (body: RunBody): HTMLElement[] =>
  (['raw', 'tokenize'] as const).map((key) =>
    key in body
      ? createBlock(key, JSON.stringify(body[key], null, 2), { file: `${key}.json` })
      : create('p', { class: 'hint' }, create('code', {}, key), ' not returned'),
  );

function renderError({ message = '', hint, location, frame, errors }: RunBody): HTMLElement[] {
  const title = location ? `${location.file}:${location.line}:${location.column}` : 'Source';
  const items = Object.values(errors ?? {}).flatMap((list) => list.map((text) => create('li', {}, visible(text))));
  return [
    create('p', { class: 'failure' }, visible(message)),
    ...(items.length > 0 ? [create('ul', { class: 'error' }, ...items)] : []),
    ...(hint ? [create('p', { class: 'hint' }, visible(hint))] : []),
    ...(frame ? [createBlock(title, frame)] : []),
  ];
}
