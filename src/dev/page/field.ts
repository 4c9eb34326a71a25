/** One field of the form: an argument or a setting. */
import type { RequestParameter } from '../../model.ts';
import { findInexactNumbers } from '../../text/inexact-numbers.ts';
import { isSecretName } from '../../text/secret-names.ts';
import { create, createButton, createId, visible } from './elements.ts';

/** Keeps the browser from storing the text, or sending it to a spelling service. */
export const PRIVATE = { autocomplete: 'off', spellcheck: 'false', autocapitalize: 'off', autocorrect: 'off' };
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** The place of errors and warnings about an input. */
export function createMessages(input: HTMLElement, describedBy = '') {
  const error = create('p', { class: 'error', id: createId() });
  const warning = create('p', { class: 'warning', id: createId() });
  input.setAttribute('aria-describedby', `${describedBy} ${error.id} ${warning.id}`.trim());
  return {
    elements: [error, warning],
    showErrors: (messages: readonly string[]) => {
      error.textContent = visible(messages.join('\n'));
      if (messages.length > 0) input.setAttribute('aria-invalid', 'true');
      else input.removeAttribute('aria-invalid');
    },
    /** Warns of numbers that JavaScript cannot represent. */
    checkNumbers: (text: string) => {
      const messages = findInexactNumbers(text).map(({ message }) => message);
      warning.textContent = visible(messages.join('\n'));
    },
  };
}

/** `label` is the part of the name that its group does not have; `isSetting` hides values of keys. */
export function createField(declared: RequestParameter, label: string, isSetting: boolean) {
  const { name, type, optional, description } = declared;
  const id = createId();
  const { element: input, read } = createControl(type, optional === true);
  input.id = id;
  const hint = create('p', { class: 'hint', id: createId() }, visible(description ?? ''));
  const { elements, showErrors, checkNumbers } = createMessages(input, hint.id);
  const title = create('label', { for: id }, visible(label), ' ');
  title.append(create('span', { class: 'type' }, optional ? `${type}, optional` : type));
  const head = create('div', { class: 'head' }, title);
  if (isSetting && type === 'string' && isSecretName(name)) head.append(createMask(input, name));
  // An empty field is not sent, unless it was filled with an empty string.
  const setEmpty = (isEmpty: boolean) => input.toggleAttribute('data-empty', isEmpty);
  input.addEventListener('input', () => {
    setEmpty(false);
    if (type === 'number') checkNumbers(input.value);
  });
  const element = create('div', { class: 'field' }, head, ...(description ? [hint] : []), input, ...elements);
  return {
    name,
    element,
    input,
    /** The value; undefined if the field is empty. Text that is not a number stays text, which the server rejects. */
    read: (): unknown => (input.value === '' ? (input.hasAttribute('data-empty') ? '' : undefined) : read(input.value)),
    write: (value: unknown) => {
      input.value = value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
      setEmpty(value === '');
      checkNumbers('');
    },
    showErrors,
  };
}

/** Hides the text of an input until the button is pressed. Not a password field, which the browser would offer to save. */
function createMask(input: HTMLElement, name: string): HTMLButtonElement {
  input.classList.add('masked');
  const button = createButton('Show', { class: 'small', 'aria-label': `Show ${visible(name)}` }, () => {
    const isMasked = input.classList.toggle('masked');
    button.setAttribute('aria-pressed', String(!isMasked));
    button.textContent = isMasked ? 'Show' : 'Hide';
  });
  button.setAttribute('aria-pressed', 'false');
  return button;
}

/** An input, and the value of its text. */
function createControl(type: RequestParameter['type'], isOptional: boolean) {
  if (type === 'boolean') {
    const options = [new Option(isOptional ? 'not set' : 'choose…', ''), new Option('true'), new Option('false')];
    return { element: create('select', PRIVATE, ...options), read: (text: string) => text === 'true' };
  }
  if (type === 'number') {
    const element = create('input', { ...PRIVATE, type: 'text', inputmode: 'decimal' });
    return { element, read: (text: string) => (NUMBER.test(text.trim()) ? Number(text) : text) };
  }
  // Not an input, which drops line breaks.
  return { element: create('textarea', { ...PRIVATE, rows: '1' }), read: (text: string) => text };
}
