/** One field of the form: an argument or a setting. */
import type { RequestParameter } from '../../model.ts';
import { create, createId, visible } from './elements.ts';

export interface Field {
  /** The dotted name. */
  name: string;
  element: HTMLElement;
  input: HTMLElement;
  /** The value; undefined if the field is not set. Text that is not a number stays text, which the server rejects. */
  read(): unknown;
  write(value: unknown): void;
  showErrors(messages: readonly string[]): void;
}

interface Control {
  element: HTMLTextAreaElement | HTMLInputElement | HTMLSelectElement;
  read(text: string): unknown;
}

/** Keeps the browser from storing the text, or sending it to a spelling service. */
const PRIVATE = { autocomplete: 'off', spellcheck: 'false', autocapitalize: 'off', autocorrect: 'off' };
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

export function createField({ name, type, optional, description }: RequestParameter): Field {
  const id = createId();
  const { element: input, read } = createControl(type, optional ?? false);
  input.id = id;
  const hint = create('p', { class: 'hint', id: createId() }, visible(description ?? ''));
  const error = create('p', { class: 'error', id: createId() });
  input.setAttribute('aria-describedby', `${hint.id} ${error.id}`);
  const label = create('label', { for: id }, visible(name.split('.').at(-1) ?? name));
  const kind = create('span', { class: 'type' }, optional ? `${type}, optional` : type);
  label.append(' ', kind);
  const element = create('div', { class: 'field' }, label, ...(description ? [hint] : []), input, error);
  return {
    name,
    element,
    input,
    read: () => read(input.value),
    write: (value) => {
      input.value = value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
    },
    showErrors: (messages) => {
      error.textContent = visible(messages.join('\n'));
      if (messages.length > 0) input.setAttribute('aria-invalid', 'true');
      else input.removeAttribute('aria-invalid');
    },
  };
}

function createControl(type: RequestParameter['type'], isOptional: boolean): Control {
  if (type === 'boolean') {
    const options = [
      ['', isOptional ? 'not set' : 'choose…'],
      ['true', 'true'],
      ['false', 'false'],
    ] as const;
    const element = create('select', PRIVATE, ...options.map(([value, text]) => create('option', { value }, text)));
    return { element, read: (text) => (text === '' ? undefined : text === 'true') };
  }
  if (type === 'number') {
    const element = create('input', { ...PRIVATE, type: 'text', inputmode: 'decimal' });
    return { element, read: (text) => toNumber(text.trim()) };
  }
  // Not an input, which drops line breaks.
  const element = create('textarea', { ...PRIVATE, rows: '1' });
  return { element, read: (text) => (text === '' && isOptional ? undefined : text) };
}

function toNumber(text: string): unknown {
  if (text === '') return undefined;
  return NUMBER.test(text) ? Number(text) : text;
}
