/** The input of a run: arguments, configuration, and doubles. */
import type { Doubles } from '../../run/doubles/doubles.ts';
import type { Declarations, RunBody, TestRequest } from '../wire.ts';
import { type Arguments, createArguments } from './arguments.ts';
import { create, createId } from './elements.ts';
import { createFields, type Fields } from './fields.ts';
import { createJsonInput } from './json-input.ts';

interface Inputs {
  declarations: Declarations;
  args: Arguments;
  configuration: Fields;
}

export function createForm() {
  let inputs: Inputs | undefined;
  const fields = create('div');
  const doubles = createDoubles();
  const element = create('form', { id: createId(), novalidate: true }, fields, doubles.element);
  const readAll = () => ({
    args: inputs?.args.read() ?? {},
    configuration: inputs?.configuration.read() ?? {},
    doubles: doubles.json.read() as Doubles | undefined,
  });
  return {
    element,
    /** Undefined for invalid JSON, which is shown. */
    read: (): Partial<TestRequest> | undefined =>
      (inputs?.args.check() ?? true) && doubles.json.check() ? readAll() : undefined,
    /** A text that differs for other input. */
    toText: (): string => {
      try {
        return JSON.stringify(readAll());
      } catch {
        return '';
      }
    },
    write: (request: TestRequest) => {
      inputs?.args.write(request.args);
      inputs?.configuration.write(request.configuration);
      doubles.write(request.doubles);
    },
    addDouble: (add: Doubles) => doubles.write(mergeDoubles(doubles.json.read() as Doubles | undefined, add)),
    /** Keeps the inputs if the declarations are the same; otherwise creates new ones with the same values. */
    update: (declarations: Declarations | null) => {
      element.hidden = !declarations;
      if (!declarations || JSON.stringify(inputs?.declarations) === JSON.stringify(declarations)) return;
      const args = createArguments(declarations.request_parameters);
      const configuration = createFields(declarations.configuration, false);
      if (inputs) {
        args.write(inputs.args.check() ? inputs.args.read() : {});
        configuration.write(inputs.configuration.read());
      }
      fields.replaceChildren(args.element, ...renderConfiguration(declarations, configuration));
      inputs = { declarations, args, configuration };
    },
    /** Shows errors at their fields, and focuses the first one. */
    showErrors: (errors: NonNullable<RunBody['errors']>) => {
      const under = (root: string) =>
        new Map(
          Object.entries(errors)
            .filter(([name]) => name === root || name.startsWith(`${root}.`))
            .map(([name, messages]) => [name.slice(root.length + 1), messages]),
        );
      const first = inputs?.args.showErrors(under('args'));
      const firstSetting = inputs?.configuration.showErrors(under('configuration'))?.input;
      doubles.json.showErrors(errors['doubles'] ?? []);
      (first ?? firstSetting ?? (errors['doubles'] && doubles.json.input))?.focus();
    },
  };
}

function renderConfiguration({ configuration }: Declarations, { element }: Fields): HTMLElement[] {
  if (configuration.length === 0) return [];
  const id = createId();
  const text = 'Not stored in the browser. Saved tests contain placeholders for values of 8 or more characters.';
  const note = create('p', { class: 'hint', id }, text);
  return [create('fieldset', { 'aria-describedby': id }, create('legend', {}, 'Configuration'), note, element)];
}

function createDoubles() {
  const json = createJsonInput('doubles as JSON', '');
  const text = 'Respond to the calls of the code, which then reaches nothing else. The same as in tests/*.json.';
  const hint = create('p', { class: 'hint' }, text);
  const element = create('details', {}, create('summary', {}, 'Doubles'), hint, json.element);
  const write = (value: Doubles | undefined) => {
    json.write(value);
    element.open = value !== undefined;
  };
  return { element, json, write };
}

/** Appends outcomes and requests to those of the same kind. */
function mergeDoubles(before: Doubles = {}, { bt, http }: Doubles): Doubles {
  const merged = { ...before.bt };
  for (const [name, outcomes] of Object.entries(bt ?? {})) merged[name] = [...(merged[name] ?? []), ...outcomes];
  return {
    ...before,
    ...((before.bt || bt) && { bt: merged }),
    ...(http && { http: [...(before.http ?? []), ...http] }),
  };
}
