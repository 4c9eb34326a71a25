/** The tests of a formula: the one that a run starts from, and the outcomes of all. */
import type { ListedFormula, ListedTest, RunBody, TestVerdict } from '../wire.ts';
import { runFormula } from './api.ts';
import { create, createItem, createRun, find, replaceItems, showStatus, visible } from './elements.ts';

const toKey = ({ file, index }: ListedTest): string => `${index} ${file}`;

/** `choose` fills the form; `onChange` is called when outcomes have changed. */
export function createTests(article: HTMLElement, choose: (test?: ListedTest) => Promise<void>, onChange: () => void) {
  let formula: ListedFormula | undefined;
  let shown = '';
  /** With the code and the test that ran. */
  const outcomes = new Map<string, TestVerdict & { of: string }>();
  const select = find<HTMLSelectElement>('#choice', article);
  const runAll = find('.all', article);
  const listTests = () => formula?.tests ?? [];
  const findChosen = () => listTests().find((test) => toKey(test) === select.value);
  const findOutcome = (test: ListedTest) => {
    const found = outcomes.get(toKey(test));
    return found?.of === `${formula?.hash} ${test.hash}` ? found : undefined;
  };
  const count = (passed: boolean) => listTests().filter((test) => findOutcome(test)?.passed === passed).length;
  const render = () => {
    const [passed, failed] = [count(true), count(false)];
    const summary = passed + failed > 0 ? `${passed} passed, ${failed} failed` : '';
    showStatus(find('.tests .status', article), summary, failed === 0);
    const items = listTests().map((test) => renderTest(test, findOutcome(test), () => pick(toKey(test))));
    replaceItems(find('.tests ul', article), items);
  };
  /** Stores the outcome of a run. */
  const addOutcome = (test: ListedTest, { details, message = 'not run', errors = {} }: RunBody) => {
    const verdict = details?.test ?? { passed: false, message: Object.values(errors).flat().join('\n') || message };
    outcomes.set(toKey(test), { ...verdict, of: `${details?.hash ?? formula?.hash} ${test.hash}` });
    render();
    onChange();
  };
  const runTests = createRun(runAll, async (signal) => {
    try {
      for (const test of listTests()) if (formula) addOutcome(test, (await runFormula(formula, { test }, signal)).body);
    } catch {
      // Stopped, or the connection was lost, which the page shows.
    }
  });
  const pick = (key: string) => {
    select.value = key;
    void choose(findChosen());
  };
  runAll.addEventListener('click', () => void runTests());
  select.addEventListener('change', () => pick(select.value));
  return {
    update: (next: ListedFormula) => {
      formula = next;
      runAll.hidden = next.tests.length === 0;
      find('.choice', article).hidden = next.tests.length === 0;
      render();
      // Replacing the options would close an open list.
      if (JSON.stringify(next.tests) === shown) return;
      shown = JSON.stringify(next.tests);
      const { value } = select;
      const options = next.tests.map((test) => new Option(visible(`${test.file}: ${test.name}`), toKey(test)));
      select.replaceChildren(new Option('none', ''), ...options);
      select.value = next.tests.some((test) => toKey(test) === value) ? value : '';
    },
    findChosen,
    addOutcome,
    countFailed: () => count(false),
  };
}

function renderTest(test: ListedTest, outcome: TestVerdict | undefined, onClick: () => void): HTMLElement {
  const [kind, state] =
    outcome === undefined ? ['none', 'not run'] : outcome.passed ? ['ok', 'passed'] : ['error', 'failed'];
  const item = createItem([kind, test.name, state], test.file, onClick);
  if (outcome?.passed === false) item.append(create('p', { class: 'error' }, visible(outcome.message)));
  return item;
}
