/** The page of one formula: its findings, the form, the tests, and the result of the last run. */
import type { Doubles } from '../../run/doubles/doubles.ts';
import { formatCurl } from '../curl.ts';
import type { ListedFormula, RunBody } from '../wire.ts';
import { fetchPublished, fetchTest, type Reply, runFormula, saveAsTest, token } from './api.ts';
import { create, createBlock, createButton, createCopyButton, createId, visible } from './elements.ts';
import { describeState, renderFindings } from './findings.ts';
import { createForm } from './form.ts';
import { renderResult, summarize } from './result.ts';
import { createTests, type Tests } from './tests.ts';

export interface Panel {
  element: HTMLElement;
  formula(): ListedFormula;
  update(formula: ListedFormula): void;
  /** Shows why the formula is no longer in the list, or has another folder. */
  warn(text: string, isMissing: boolean): void;
  countFailedTests(): number;
}

/** The run that is shown. */
interface Shown {
  input: string;
  hash: string | undefined;
  /** What the list had then, which may be older than the code that ran. */
  listedHash: string;
}

const NOT_SENT = 'The request failed. Is formula dev still running?';

/** `onTests` is called when outcomes of tests have changed. */
export function createPanel(first: ListedFormula, onTests: () => void): Panel {
  let formula = first;
  let running: AbortController | undefined;
  let shown: Shown | undefined;
  let shownFindings = '';
  const heading = create('h2');
  const state = create('span', { class: 'chip' });
  const location = create('p', { class: 'hint' });
  const description = create('p');
  const notice = create('p', { role: 'alert', class: 'notice', hidden: true });
  const findings = create('section', { 'aria-label': 'Findings' });
  const form = createForm();
  const runButton = create('button', { type: 'submit', class: 'primary', form: form.element.id }, 'Run');
  const status = create('p', { role: 'status', class: 'status' });
  const time = create('span', { class: 'hint' });
  const result = create('div', { class: 'result' });
  const old = create('p', { class: 'notice' });
  const published = createPublished(() => formula);

  const tests: Tests = createTests({
    choose: async (test) => {
      if (!test) return checkAge();
      clear('');
      const { status: code, body } = await fetchTest(formula, test);
      if (code === 200) form.write(body);
    },
    save: async (name) => {
      const input = readInput();
      if (!input) return { text: 'The input is not valid JSON.', isOk: false };
      try {
        const { status: code, body } = await saveAsTest(formula, name, input);
        if (body.details) showReply({ status: body.details.status, body });
        if (!body.saved) return { text: body.message ?? `not saved (${code})`, isOk: false };
        return { text: `Saved ${body.saved.file}. ${body.saved.warning}`, isOk: body.saved.passes };
      } catch {
        return { text: NOT_SENT, isOk: false };
      }
    },
    changed: () => {
      showState();
      onTests();
    },
  });
  form.element.prepend(tests.choice);

  const readInput = () => {
    const input = form.read();
    const test = tests.chosen();
    return input && { ...input, ...(test && { test: { file: test.file, index: test.index } }) };
  };
  const toInputKey = () => `${form.toText()} ${JSON.stringify(tests.chosen())}`;
  const setStatus = (text: string, isOk?: boolean) => {
    status.textContent = text;
    if (isOk === undefined) delete status.dataset['ok'];
    else status.dataset['ok'] = String(isOk);
    time.textContent = '';
  };
  /** Removes a result whose input is no longer in the form. */
  const clear = (text: string, isOk?: boolean) => {
    shown = undefined;
    result.replaceChildren(
      create('p', { class: 'hint' }, 'Run the formula to see its result, calls, and output here.'),
    );
    setStatus(text, isOk);
  };
  /** Marks the result if the input or the code has changed since. */
  const checkAge = () => {
    const isInputOld = shown && shown.input !== toInputKey();
    const isCodeOld = shown && formula.hash !== shown.hash && formula.hash !== shown.listedHash;
    result.classList.toggle('old', Boolean(isInputOld || isCodeOld));
    status.classList.toggle('old', Boolean(isInputOld || isCodeOld));
    old.hidden = !(isInputOld || isCodeOld);
    old.textContent = `Old result: the ${isInputOld ? 'input' : 'code'} has changed since this run.`;
  };
  const showReply = (reply: Reply<RunBody>) => {
    const { text, isOk } = summarize(reply);
    setStatus(text, isOk);
    time.textContent = new Date().toLocaleTimeString();
    result.replaceChildren(old, ...renderResult(reply, addDouble));
    form.showErrors(reply.body.errors ?? {});
    shown = { input: toInputKey(), hash: reply.body.details?.hash ?? formula.hash, listedHash: formula.hash };
    const test = tests.chosen();
    if (test && reply.body.details?.test) tests.note(test, reply.body);
    checkAge();
  };
  const addDouble = (add: Doubles) => {
    form.addDouble(add);
    checkAge();
  };
  const run = async () => {
    const input = readInput();
    if (!input) return clear('Invalid request', false);
    running = new AbortController();
    const { signal } = running;
    runButton.textContent = 'Stop';
    setStatus('Running…');
    try {
      showReply(await runFormula(formula, input, signal));
    } catch {
      clear(signal.aborted ? 'Stopped' : NOT_SENT);
    } finally {
      running = undefined;
      runButton.textContent = 'Run';
    }
  };
  form.element.addEventListener('submit', (event) => {
    event.preventDefault();
    if (running) running.abort();
    else void run();
  });
  form.element.addEventListener('input', checkAge);
  const showState = () => {
    const { kind, text } = describeState(formula, tests.countFailed());
    state.className = `chip ${kind}`;
    state.textContent = text;
  };
  const update = (next: ListedFormula) => {
    formula = next;
    notice.hidden = true;
    runButton.disabled = next.declarations === null;
    heading.textContent = visible(next.name ?? next.folder);
    location.textContent = visible(`${next.folder} · POST ${next.endpoint}`);
    description.textContent = visible(next.declarations?.description ?? '');
    description.hidden = !next.declarations?.description;
    const found = JSON.stringify(next.findings);
    // Unchanged findings are not replaced, because they may contain the focus.
    if (found !== shownFindings) findings.replaceChildren(...renderFindings(next));
    shownFindings = found;
    tests.update(next);
    form.update(next.declarations);
    showState();
    checkAge();
  };
  const curl = createCopyButton('Copy as curl', '', () =>
    formatCurl(
      readInput() ?? {},
      window.location.origin + formula.endpoint,
      token,
      navigator.userAgent.includes('Windows') ? 'win32' : 'linux',
    ),
  );
  clear('');
  update(first);
  const element = create(
    'article',
    {},
    create(
      'div',
      { class: 'title' },
      create('div', { class: 'head' }, heading, state),
      create('div', { class: 'head' }, location, curl),
      description,
    ),
    notice,
    create('div', { class: 'bar' }, runButton, create('kbd', {}, 'Ctrl+Enter'), status, time),
    create(
      'div',
      { class: 'columns' },
      create('div', { class: 'input' }, findings, form.element),
      create(
        'div',
        { class: 'output' },
        create('section', { 'aria-label': 'Result' }, create('h3', {}, 'Result'), result),
        tests.element,
        published,
      ),
    ),
  );
  element.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || runButton.disabled) return;
    event.preventDefault();
    form.element.requestSubmit();
  });
  return {
    element,
    formula: () => formula,
    update,
    warn: (text, isMissing) => {
      notice.textContent = visible(text);
      notice.hidden = false;
      runButton.disabled = isMissing;
    },
    countFailedTests: tests.countFailed,
  };
}

/** Compares the formula with its published version on demand. */
function createPublished(getFormula: () => ListedFormula): HTMLElement {
  const output = create('div');
  const button = createButton('Compare', { 'aria-describedby': createId() }, async () => {
    output.replaceChildren(create('p', { role: 'status', class: 'hint' }, 'Comparing…'));
    const { body } = await fetchPublished(getFormula()).catch(() => ({
      body: { message: NOT_SENT } as { text?: string; message?: string },
    }));
    output.replaceChildren(
      body.text === undefined
        ? create('p', { class: 'error', role: 'alert' }, visible(body.message ?? ''))
        : createBlock('What push would change', body.text, { isDiff: true }),
    );
  });
  const head = create('div', { class: 'head' }, create('h3', {}, 'Published version'), button);
  return create('section', { 'aria-label': 'Published version', class: 'published' }, head, output);
}
