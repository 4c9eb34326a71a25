/** The input of a run: arguments, configuration, and doubles. */
import { attempt } from '../../errors.ts';
import type { Doubles } from '../../run/doubles/doubles.ts';
import type { ListedDeclarations, RunBody, TestRequest } from '../wire.ts';
import { createArguments } from './arguments.ts';
import { create, createId, find } from './elements.ts';
import { createFields } from './fields.ts';
import { createJsonInput } from './json-input.ts';

export function createForm(element: HTMLElement) {
  let shown = '';
  let args = createArguments([]);
  let configuration = createFields([], false);
  const doubles = createJsonInput('doubles as JSON', '');
  const details = find<HTMLDetailsElement>('details', element);
  details.append(doubles.element);
  const readAll = () => ({
    args: args.read(),
    configuration: configuration.read(),
    doubles: doubles.read() as Doubles | undefined,
  });
  const writeDoubles = (value: Doubles | undefined) => {
    doubles.write(value);
    details.open = value !== undefined;
  };
  return {
    /** Undefined for invalid JSON, which is shown. */
    read: (): TestRequest | undefined => (args.check() && doubles.check() ? readAll() : undefined),
    /** A text that differs for other input. */
    toText: (): string => attempt(() => JSON.stringify(readAll())) ?? '',
    write: (request: TestRequest) => {
      args.write(request.args);
      configuration.write(request.configuration);
      writeDoubles(request.doubles);
    },
    addDouble: (add: Doubles) => {
      if (doubles.check()) writeDoubles(mergeDoubles(doubles.read() as Doubles | undefined, add));
    },
    removeDoubles: () => writeDoubles(undefined),
    /** Keeps the inputs if the declarations are the same; otherwise creates new ones with the same values. */
    update: (declarations: ListedDeclarations | null) => {
      element.hidden = !declarations;
      if (!declarations || JSON.stringify(declarations) === shown) return;
      shown = JSON.stringify(declarations);
      const values = [args.check() ? args.read() : {}, configuration.read()];
      args = createArguments(declarations.request_parameters);
      configuration = createFields(declarations.configuration, false);
      args.write(values[0]);
      configuration.write(values[1]);
      find('.inputs', element).replaceChildren(args.element, ...renderConfiguration(declarations, configuration));
    },
    /** Shows errors at their fields, and focuses the first one. */
    showErrors: (errors: NonNullable<RunBody['errors']>) => {
      const under = (root: string) => {
        const found = Object.entries(errors).filter(([name]) => `${name}.`.startsWith(`${root}.`));
        return new Map(found.map(([name, messages]) => [name.slice(root.length + 1), messages]));
      };
      const first = args.showErrors(under('args'));
      const firstSetting = configuration.showErrors(under('configuration'));
      doubles.showErrors(errors['doubles'] ?? []);
      (first ?? firstSetting ?? (errors['doubles'] && doubles.input))?.focus();
    },
  };
}

function renderConfiguration(
  { configuration }: ListedDeclarations,
  { element }: { element: HTMLElement },
): HTMLElement[] {
  if (configuration.length === 0) return [];
  const id = createId();
  const text = 'Not stored in the browser. Saved tests contain placeholders for values of 8 or more characters.';
  const note = create('p', { class: 'hint', id }, text);
  return [create('fieldset', { 'aria-describedby': id }, create('legend', {}, 'Configuration'), note, element)];
}

/** Appends outcomes and requests to those of the same kind. */
function mergeDoubles(before: Doubles = {}, { bt, http }: Doubles): Doubles {
  const merged = { ...before.bt };
  for (const [name, outcomes] of Object.entries(bt ?? {})) merged[name] = [...(merged[name] ?? []), ...outcomes];
  const btDoubles = (before.bt || bt) && { bt: merged };
  return { ...before, ...btDoubles, ...(http && { http: [...(before.http ?? []), ...http] }) };
}
