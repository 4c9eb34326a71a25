/** The tests of a formula: the one that a run starts from, the outcomes of all, and saving a run as a new one. */
import type { ListedFormula, ListedTest, RunBody, TestVerdict } from '../wire.ts';
import { runFormula } from './api.ts';
import { create, createButton, createId, visible } from './elements.ts';

export interface Tests {
  /** The choice of a test, for the form. */
  choice: HTMLElement;
  element: HTMLElement;
  update(formula: ListedFormula): void;
  chosen(): ListedTest | undefined;
  /** Stores the outcome of a run. */
  note(test: ListedTest, body: RunBody): void;
  countFailed(): number;
}

export interface TestActions {
  /** Fills the form. */
  choose(test: ListedTest | undefined): void;
  /** Saves the input of the form; returns a message, and whether the test passes. */
  save(name: string): Promise<{ text: string; isOk: boolean }>;
  /** Called when outcomes have changed. */
  changed(): void;
}

const toKey = ({ file, index }: ListedTest): string => `${index} ${file}`;

export function createTests({ choose, save, changed }: TestActions): Tests {
  let formula: ListedFormula | undefined;
  let running: AbortController | undefined;
  /** With the code and the test that ran. */
  const outcomes = new Map<string, TestVerdict & { of: string }>();
  const { choice, select } = createChoice();
  const list = create('ul', { class: 'tests' });
  const summary = create('p', { role: 'status', class: 'status' });
  const runAll = createButton('Run all', {}, () => (running ? running.abort() : void runTests()));
  const find = (key: string) => formula?.tests.find((test) => toKey(test) === key);
  const findOutcome = (test: ListedTest) => {
    const found = outcomes.get(toKey(test));
    return found?.of === `${formula?.hash} ${test.hash}` ? found : undefined;
  };
  const count = (passed: boolean) =>
    (formula?.tests ?? []).filter((test) => findOutcome(test)?.passed === passed).length;
  const note = (test: ListedTest, { details, message = 'not run' }: RunBody) => {
    const verdict = details?.test ?? { passed: false, message };
    outcomes.set(toKey(test), { ...verdict, of: `${details?.hash ?? formula?.hash} ${test.hash}` });
    renderList();
    changed();
  };
  const runTests = async () => {
    running = new AbortController();
    const { signal } = running;
    runAll.textContent = 'Stop';
    try {
      for (const test of formula?.tests ?? []) {
        if (!formula || signal.aborted) break;
        note(test, (await runFormula(formula, { test }, signal)).body);
      }
    } catch {
      // Stopped, or the connection was lost, which the page shows.
    }
    running = undefined;
    runAll.textContent = 'Run all';
  };
  const renderList = () => {
    const items = (formula?.tests ?? []).map((test) => renderTest(test, findOutcome(test), () => pick(toKey(test))));
    const focused = [...list.querySelectorAll('button')].indexOf(document.activeElement as HTMLButtonElement);
    list.replaceChildren(...items);
    list.querySelectorAll('button')[focused]?.focus();
    const [passed, failed] = [count(true), count(false)];
    summary.textContent = passed + failed > 0 ? `${passed} passed, ${failed} failed` : '';
    summary.dataset['ok'] = String(failed === 0);
  };
  const pick = (key: string) => {
    select.value = key;
    choose(find(key));
  };
  select.addEventListener('change', () => pick(select.value));
  return {
    choice,
    element: create(
      'section',
      { 'aria-label': 'Tests' },
      create('div', { class: 'head' }, create('h3', {}, 'Tests'), summary, runAll),
      list,
      createSaveForm(save),
    ),
    update: (next) => {
      const before = formula?.tests;
      formula = next;
      runAll.hidden = next.tests.length === 0;
      choice.hidden = next.tests.length === 0;
      renderList();
      // Replacing the options would close an open list.
      if (JSON.stringify(next.tests) === JSON.stringify(before)) return;
      const { value } = select;
      const options = next.tests.map((test) =>
        create('option', { value: toKey(test) }, visible(`${test.file}: ${test.name}`)),
      );
      select.replaceChildren(create('option', { value: '' }, 'none'), ...options);
      select.value = find(value) ? value : '';
    },
    chosen: () => find(select.value),
    note,
    countFailed: () => count(false),
  };
}

function createChoice() {
  const id = createId();
  const text = 'Fills the form. The doubles of the test respond to the calls of the code.';
  const hint = create('p', { class: 'hint', id: createId() }, text);
  const select = create('select', { id, 'aria-describedby': hint.id });
  const choice = create('div', { class: 'field' }, create('label', { for: id }, 'Start from a test'), hint, select);
  return { choice, select };
}

function renderTest(test: ListedTest, outcome: TestVerdict | undefined, onClick: () => void): HTMLElement {
  const kind = outcome === undefined ? 'none' : outcome.passed ? 'ok' : 'error';
  const state = outcome === undefined ? 'not run' : outcome.passed ? 'passed' : 'failed';
  const button = createButton('', { class: 'test', title: visible(test.file) }, onClick);
  button.append(
    create('span', { class: `mark ${kind}`, 'aria-hidden': 'true' }),
    create('span', { class: 'name' }, visible(test.name)),
    create('span', { class: 'state' }, state),
  );
  const message = outcome?.passed === false ? [create('p', { class: 'error' }, visible(outcome.message))] : [];
  return create('li', {}, button, ...message);
}

function createSaveForm(save: TestActions['save']): HTMLElement {
  const id = createId();
  const input = create('input', { id, type: 'text', autocomplete: 'off', spellcheck: 'false' });
  const status = create('p', { role: 'status', class: 'status' });
  const button = create('button', { type: 'submit' }, 'Save as test');
  const form = create(
    'form',
    { class: 'save', novalidate: true },
    create('label', { for: id }, 'Test name'),
    create('div', { class: 'actions' }, input, button),
    status,
  );
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    status.textContent = 'Running…';
    delete status.dataset['ok'];
    const { text, isOk } = await save(input.value);
    status.textContent = visible(text);
    status.dataset['ok'] = String(isOk);
  });
  return form;
}
