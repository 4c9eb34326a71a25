/** The arguments of a run: as fields, or as JSON, which may contain undeclared arguments. */
import type { RequestParameter } from '../../model.ts';
import { create, createId, visible } from './elements.ts';
import { createFields } from './fields.ts';

export interface Arguments {
  element: HTMLElement;
  /** Throws an Error for invalid JSON. */
  read(): unknown;
  write(values: unknown): void;
  /** Shows the errors, and returns the first input that has one. */
  showErrors(errors: ReadonlyMap<string, readonly string[]>): HTMLElement | undefined;
}

export function createArguments(declared: readonly RequestParameter[]): Arguments {
  const fields = createFields(declared, true);
  const hasFields = declared.length > 0;
  const json = createJsonInput();
  const toggle = create('button', { type: 'button', class: 'link', 'aria-pressed': 'false' }, 'Edit as JSON');
  const element = create('fieldset', {}, create('legend', {}, 'Arguments'), fields.element, json.element);
  if (hasFields) element.append(toggle);
  let isJson = !hasFields;
  const show = () => {
    fields.element.hidden = isJson;
    json.element.hidden = !isJson;
    toggle.setAttribute('aria-pressed', String(isJson));
  };
  toggle.addEventListener('click', () => {
    if (!isJson) json.write(fields.read());
    else if (!json.check()) return json.input.focus();
    else fields.write(json.read());
    isJson = !isJson;
    show();
  });
  show();
  return {
    element,
    read: () => {
      if (!isJson) return fields.read();
      if (!json.check()) json.input.focus();
      return json.read();
    },
    write: (values) => {
      fields.write(values);
      json.write(values);
    },
    showErrors: (errors) => {
      const first = fields.showErrors(errors)?.input;
      const messages = [...errors.values()].flat();
      json.showError(messages.join('\n'));
      return messages.length === 0 ? undefined : isJson ? json.input : first;
    },
  };
}

function createJsonInput() {
  const error = create('p', { class: 'error', id: createId() });
  const id = createId();
  const input = create('textarea', { id, class: 'json', rows: '6', spellcheck: 'false', 'aria-describedby': error.id });
  input.value = '{}';
  const element = create('div', { class: 'field' }, create('label', { for: id }, 'args as JSON'), input, error);
  const showError = (message: string) => {
    error.textContent = visible(message);
    if (message) input.setAttribute('aria-invalid', 'true');
    else input.removeAttribute('aria-invalid');
  };
  const read = (): unknown => JSON.parse(input.value);
  return {
    element,
    input,
    read,
    showError,
    write: (value: unknown) => {
      input.value = JSON.stringify(value, null, 2);
    },
    /** Whether the text is JSON; shows why it is not. */
    check: () => {
      try {
        read();
        showError('');
        return true;
      } catch (problem) {
        showError(`invalid JSON: ${(problem as Error).message}`);
        return false;
      }
    },
  };
}
