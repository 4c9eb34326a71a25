/** An input of JSON, for arguments and doubles. */
import { create, createId } from './elements.ts';
import { createMessages, PRIVATE } from './field.ts';

export function createJsonInput(label: string, initial: string) {
  const id = createId();
  const input = create('textarea', { ...PRIVATE, id, class: 'json', rows: '3' });
  input.value = initial;
  const { elements, showErrors, checkNumbers } = createMessages(input);
  input.addEventListener('input', () => checkNumbers(input.value));
  /** The value; undefined for an empty text. Throws an Error for invalid JSON. */
  const read = (): unknown => (input.value.trim() === '' ? undefined : JSON.parse(input.value));
  return {
    element: create('div', { class: 'field' }, create('label', { for: id }, label), input, ...elements),
    input,
    read,
    showErrors,
    write: (value: unknown) => {
      input.value = value === undefined ? '' : JSON.stringify(value, null, 2);
      checkNumbers('');
    },
    /** Whether the text is JSON; shows why it is not, and focuses it. */
    check: () => {
      try {
        read();
        showErrors([]);
        return true;
      } catch (problem) {
        showErrors([`invalid JSON: ${(problem as Error).message}`]);
        input.focus();
        return false;
      }
    },
  };
}
