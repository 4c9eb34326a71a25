/** The page of one formula: its findings, the form, the tests, and the result of the last run. */
import { formatCurl } from '../curl.ts';
import { formatState } from '../formula-state.ts';
import type { ListedFormula, ListedTest } from '../wire.ts';
import { fetchPublished, fetchTest, runFormula, saveAsTest, token } from './api.ts';
import { create, createBlock, createCopyButton, createRun, find, showStatus, visible } from './elements.ts';
import { renderFindings } from './findings.ts';
import { createForm } from './form.ts';
import { createResult } from './result.ts';
import { createTests } from './tests.ts';

export type Panel = ReturnType<typeof createPanel>;

const NOT_SENT = 'The request failed. Is formula dev still running?';

/** `onTests` is called when outcomes of tests have changed. */
export function createPanel(first: ListedFormula, onTests: () => void) {
  let formula = first;
  let shownFindings = '';
  /** The input that a test has filled in. */
  let filled = '';
  const article = find<HTMLElement>('article', find<HTMLTemplateElement>('template').content);
  const element = document.importNode(article, true);
  const runButton = find<HTMLButtonElement>('.primary', element);
  const form = createForm(find('#run', element));
  const showState = () => {
    const { kind, text } = formatState(formula, tests.countFailed());
    find('.chip', element).className = `chip ${kind}`;
    find('.chip', element).textContent = text;
    onTests();
  };
  const tests = createTests(element, choose, showState);
  const toText = () => `${form.toText()} ${JSON.stringify(tests.findChosen())}`;
  const result = createResult(element, toText, (add) => {
    form.addDouble(add);
    result.checkAge(formula);
  });

  async function choose(test?: ListedTest) {
    if (!test) {
      form.removeDoubles();
      return result.checkAge(formula);
    }
    result.clear('');
    const { status, body } = await fetchTest(formula, test);
    if (status !== 200) return;
    form.write(body);
    filled = toText();
  }
  const readInput = () => {
    const chosen = tests.findChosen();
    const test = chosen && { file: chosen.file, index: chosen.index };
    // The server has also what the fields cannot have, such as undeclared configuration.
    if (test && toText() === filled) return { test };
    const input = form.read();
    return input && { ...input, ...(test && { test }) };
  };
  const showReply: typeof result.show = (reply) => {
    result.show(reply);
    form.showErrors(reply.body.errors ?? {});
    const test = tests.findChosen();
    if (test && reply.body.details?.test) tests.addOutcome(test, reply.body);
    result.checkAge(formula);
  };
  /** Saves the input of the form as a test; returns a message, and whether the test passes. */
  const save = async (name: string): Promise<[string, boolean]> => {
    const input = readInput();
    if (!input) return ['The input is not valid JSON.', false];
    const { status, body } = await saveAsTest(formula, name, input);
    if (body.details) showReply({ status: body.details.status, body });
    if (!body.saved) return [body.message ?? `not saved (${status})`, false];
    return [`Saved ${body.saved.file}. ${body.saved.warning}`, body.saved.passes];
  };

  const run = createRun(runButton, async (signal) => {
    const input = readInput();
    if (!input) return result.clear('Invalid request', false);
    showStatus(find('.bar .status', element), 'Running…');
    await runFormula(formula, input, signal).then(showReply, () => result.clear(signal.aborted ? 'Stopped' : NOT_SENT));
  });
  onSubmit(find('#run', element), run);
  onSubmit(find('.save', element), async () => {
    const status = find('.save .status', element);
    showStatus(status, 'Running…');
    const saved = await save(find<HTMLInputElement>('#name', element).value).catch(() => [NOT_SENT, false] as const);
    showStatus(status, saved[0], saved[1]);
  });
  find('#run', element).addEventListener('input', () => result.checkAge(formula));
  element.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || runButton.disabled) return;
    event.preventDefault();
    find<HTMLFormElement>('#run', element).requestSubmit();
  });
  const comparePublished = () => showPublished(formula, find('.difference', element));
  find('.published button', element).addEventListener('click', comparePublished);
  const platform = navigator.userAgent.includes('Windows') ? 'win32' : 'linux';
  const toCurl = () => formatCurl(readInput() ?? {}, location.origin + formula.endpoint, token, platform);
  find('.location', element).append(createCopyButton('Copy as curl', '', toCurl));

  result.clear('');
  return {
    element,
    getFormula: () => formula,
    update: (next: ListedFormula) => {
      formula = next;
      runButton.disabled = next.declarations === null;
      showHeader(next, element);
      // Unchanged findings are not replaced, because they may contain the focus.
      if (JSON.stringify(next.findings) !== shownFindings)
        find('.findings', element).replaceChildren(...renderFindings(next));
      shownFindings = JSON.stringify(next.findings);
      tests.update(next);
      form.update(next.declarations);
      showState();
      result.checkAge(formula);
    },
    /** Shows why the formula is no longer in the list, or has another folder. */
    warn: (text: string, isMissing: boolean) => {
      find('.notice', element).textContent = visible(text);
      find('.notice', element).hidden = false;
      runButton.disabled = isMissing;
    },
    countFailedTests: tests.countFailed,
  };
}

function showHeader({ name, folder, endpoint, declarations }: ListedFormula, element: HTMLElement): void {
  find('.notice', element).hidden = true;
  find('h2', element).textContent = visible(name ?? folder);
  find('.location p', element).textContent = visible(`${folder} · POST ${endpoint}`);
  find('.description', element).textContent = visible(declarations?.description ?? '');
}

function onSubmit(form: HTMLElement, listener: () => Promise<void>): void {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void listener();
  });
}

async function showPublished(formula: ListedFormula, difference: HTMLElement): Promise<void> {
  difference.replaceChildren(create('p', { role: 'status', class: 'hint' }, 'Comparing…'));
  const failed = { body: { text: undefined, message: NOT_SENT, hint: '' } };
  const { text, message, hint } = (await fetchPublished(formula).catch(() => failed)).body;
  const problem = visible([message, hint].filter(Boolean).join('\n'));
  difference.replaceChildren(
    text === undefined
      ? create('p', { class: 'error', role: 'alert' }, problem)
      : createBlock('What push would change', text, { isDiff: true }),
  );
}
