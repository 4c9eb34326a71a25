/** The page of one formula: its findings, the form, and the result of the last run. */
import type { Declarations, ListedFormula, RunBody } from '../wire.ts';
import { fetchTest, type Reply, type RunInput, runFormula } from './api.ts';
import { type Arguments, createArguments } from './arguments.ts';
import { create, createId, visible } from './elements.ts';
import { createFields, type Fields } from './fields.ts';
import { renderFindings } from './findings.ts';
import { renderResult, summarize } from './result.ts';
import { createSaveForm } from './save-form.ts';
import { createTestChoice } from './test-choice.ts';

export interface Panel {
  element: HTMLElement;
  update(formula: ListedFormula): void;
}

interface Inputs {
  declarations: Declarations;
  args: Arguments;
  configuration: Fields;
}

export function createPanel(first: ListedFormula): Panel {
  let formula = first;
  let inputs: Inputs | undefined;
  let running: AbortController | undefined;
  let shownFindings = '';
  const heading = create('h2');
  const location = create('p', { class: 'hint' });
  const description = create('p');
  const findings = create('section', { 'aria-label': 'Findings' });
  const fields = create('div');
  const tests = createTestChoice(async (test) => {
    const { status: code, body } = await fetchTest(formula, test);
    if (code !== 200) return;
    inputs?.args.write(body.args);
    inputs?.configuration.write(body.configuration);
  });
  const runButton = create('button', { type: 'submit', class: 'primary' }, 'Run');
  const status = create('p', { role: 'status', class: 'status' });
  const form = create('form', { novalidate: true }, tests.element, fields);
  form.append(create('div', { class: 'actions' }, runButton, create('span', { class: 'hint' }, 'Ctrl+Enter'), status));
  const result = create('section', { 'aria-label': 'Result' });
  const save = createSaveForm();

  const showReply = (reply: Reply<RunBody>) => {
    status.textContent = summarize(reply);
    status.dataset['ok'] = String(reply.status === 200);
    result.replaceChildren(...renderResult(reply));
    save.offer(formula, reply.body.details?.run);
    showFieldErrors(inputs, reply.body.errors ?? {});
  };
  const run = async (input: RunInput) => {
    running = new AbortController();
    runButton.textContent = 'Stop';
    status.textContent = 'Running…';
    delete status.dataset['ok'];
    try {
      showReply(await runFormula(formula, input, running.signal));
    } catch {
      status.textContent = running.signal.aborted ? 'Stopped' : 'The request failed. Is formula dev still running?';
    } finally {
      running = undefined;
      runButton.textContent = 'Run';
    }
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (running) return running.abort();
    const input = readInput(inputs);
    if (input) void run({ ...input, test: tests.chosen() });
  });
  form.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    form.requestSubmit();
  });

  const update = (next: ListedFormula) => {
    formula = next;
    heading.textContent = visible(next.name ?? next.folder);
    location.textContent = visible(`${next.folder} · POST ${next.endpoint}`);
    description.textContent = visible(next.declarations?.description ?? '');
    description.hidden = !next.declarations?.description;
    const found = JSON.stringify(next.findings);
    // Unchanged findings are not replaced, because they may contain the focus.
    if (found !== shownFindings) findings.replaceChildren(create('h3', {}, 'Findings'), renderFindings(next));
    shownFindings = found;
    tests.update(next.tests);
    inputs = rebuildInputs(inputs, next.declarations, fields);
    form.hidden = inputs === undefined;
  };
  update(first);
  const element = create('article', {}, heading, location, description, findings, form, result, save.element);
  return { element, update };
}

/** Keeps the inputs if the declarations are the same; otherwise creates new ones with the same values. */
function rebuildInputs(
  before: Inputs | undefined,
  declarations: Declarations | null,
  container: HTMLElement,
): Inputs | undefined {
  if (!declarations) return before;
  if (before && JSON.stringify(before.declarations) === JSON.stringify(declarations)) return before;
  const args = createArguments(declarations.request_parameters);
  const configuration = createFields(declarations.configuration, false);
  if (before) {
    const values = readInput(before);
    args.write(values?.args ?? {});
    configuration.write(before.configuration.read());
  }
  container.replaceChildren(args.element, ...renderConfiguration(declarations, configuration));
  return { declarations, args, configuration };
}

function renderConfiguration({ configuration }: Declarations, { element }: Fields): HTMLElement[] {
  if (configuration.length === 0) return [];
  const id = createId();
  const note = create(
    'p',
    { class: 'hint', id },
    'Not stored in the browser. Saved tests contain placeholders for values of 8 or more characters.',
  );
  return [create('fieldset', { 'aria-describedby': id }, create('legend', {}, 'Configuration'), note, element)];
}

/** The values; undefined if the JSON of the arguments is invalid. */
function readInput(inputs: Inputs | undefined): Omit<RunInput, 'test'> | undefined {
  if (!inputs) return undefined;
  try {
    return { args: inputs.args.read(), configuration: inputs.configuration.read() };
  } catch {
    return undefined;
  }
}

/** Shows errors at their fields, and focuses the first one. */
function showFieldErrors(inputs: Inputs | undefined, errors: NonNullable<RunBody['errors']>): void {
  const under = (root: string) =>
    new Map(
      Object.entries(errors)
        .filter(([name]) => name === root || name.startsWith(`${root}.`))
        .map(([name, messages]) => [name.slice(root.length + 1), messages]),
    );
  const first = inputs?.args.showErrors(under('args'));
  const firstSetting = inputs?.configuration.showErrors(under('configuration'))?.input;
  (first ?? firstSetting)?.focus();
}
