/** The arguments of a run: as fields, or as JSON, which may contain undeclared arguments. */
import type { RequestParameter } from '../../model.ts';
import { isSubset } from '../../run/subset.ts';
import { create, createButton } from './elements.ts';
import { createFields } from './fields.ts';
import { createJsonInput } from './json-input.ts';

export function createArguments(declared: readonly RequestParameter[]) {
  const fields = createFields(declared, true);
  const json = createJsonInput('args as JSON', '{}');
  let isJson = declared.length === 0;
  /** Fills the fields; false if they cannot have all values. */
  const fill = (values: unknown) => {
    fields.write(values);
    return isSubset(values, fields.read());
  };
  const toggle = createButton('', { class: 'small toggle' }, () => {
    if (!isJson) json.write(fields.read());
    else if (!json.check()) return;
    else if (!fill(json.read() ?? {})) return json.showErrors(['contains values that the fields cannot have']);
    isJson = !isJson;
    show();
  });
  const show = () => {
    fields.element.hidden = isJson;
    json.element.hidden = !isJson;
    toggle.textContent = isJson ? 'Edit as fields' : 'Edit as JSON';
  };
  toggle.hidden = declared.length === 0;
  show();
  return {
    element: create('fieldset', {}, create('legend', {}, 'Arguments'), toggle, fields.element, json.element),
    read: (): unknown => (isJson ? (json.read() ?? {}) : fields.read()),
    /** Whether the input can be read; shows why it cannot. */
    check: () => !isJson || json.check(),
    write: (values: unknown) => {
      json.write(values);
      isJson = !fill(values) || declared.length === 0;
      show();
    },
    /** Shows the errors, and returns the first input that has one. */
    showErrors: (errors: ReadonlyMap<string, readonly string[]>) => {
      const first = fields.showErrors(errors);
      const messages = [...errors.values()].flat();
      json.showErrors(messages);
      return messages.length === 0 ? undefined : isJson ? json.input : first;
    },
  };
}
