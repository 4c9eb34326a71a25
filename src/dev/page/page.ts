/** The page of the workbench: the list of formulas, and the selected one. */
import { formatState } from '../formula-state.ts';
import type { ListedFormula } from '../wire.ts';
import { fetchFormulas, initialFormula, rememberFormula, TokenError } from './api.ts';
import { create, createItem, find, replaceItems } from './elements.ts';
import { createPanel, type Panel } from './panel.ts';

const RETRY_MS = 1000;
/** With fewer formulas, the list has no filter. */
const MIN_FILTERED = 10;
const COMMAND = 'formulary formula dev';

const connection = find('#connection');
const notice = find('#notice');
const list = find('#formulas');
const content = find('#content');
const filter = find<HTMLInputElement>('#filter');
/** By folder; they stay in memory with their forms. */
const panels = new Map<string, Panel>();
let formulas: readonly ListedFormula[] = [];
let selected = initialFormula ?? '';

function select(folder: string): void {
  selected = folder;
  rememberFormula(folder);
  render();
}

function render(): void {
  const formula =
    formulas.find(({ folder }) => folder === selected) ?? (panels.has(selected) ? undefined : formulas[0]);
  if (formula) {
    selected = formula.folder;
    const panel = panels.get(selected) ?? createPanel(formula, renderList);
    panels.set(selected, panel);
    panel.update(formula);
  }
  const shown = panels.get(selected)?.element ?? createEmptyNote();
  if (content.firstChild !== shown) content.replaceChildren(shown);
  renderList();
}

const createEmptyNote = () =>
  create('p', {}, 'No formulas found. To create one, run: ', create('code', {}, 'formulary formula init DIR'));

/** Says so if the selected formula is gone, and keeps its form, also under the new name of its folder. */
function followSelected(previous: readonly ListedFormula[]): void {
  const panel = panels.get(selected);
  if (!panel || formulas.some(({ folder }) => folder === selected)) return;
  const renamed = formulas.find(
    ({ folder, hash }) => hash === panel.getFormula().hash && !previous.some((one) => one.folder === folder),
  );
  if (!renamed) {
    panel.warn(`${selected} no longer exists. Its form is kept while this page is open.`, true);
    return;
  }
  panels.delete(selected);
  panels.set(renamed.folder, panel);
  const text = `${selected} was renamed to ${renamed.folder}.`;
  select(renamed.folder);
  panel.warn(text, false);
}

function renderList(): void {
  filter.hidden = formulas.length < MIN_FILTERED;
  const wanted = filter.hidden ? '' : filter.value.trim().toLowerCase();
  const found = formulas.filter(({ name, folder }) => `${name} ${folder}`.toLowerCase().includes(wanted));
  const items = found.map((formula) => {
    const { name, folder } = formula;
    const { kind, text } = formatState(formula, panels.get(folder)?.countFailedTests());
    const item = createItem([kind, name ?? folder, text], folder, () => select(folder));
    item.firstElementChild?.setAttribute('aria-current', String(folder === selected));
    return item;
  });
  replaceItems(list, items);
}

function showConnection(state: string, problem: readonly (Node | string)[]): void {
  connection.textContent = state;
  connection.dataset['ok'] = String(problem.length === 0);
  notice.hidden = problem.length === 0;
  notice.replaceChildren(...problem);
}

async function follow(): Promise<void> {
  for (let version = 0; ; ) {
    try {
      const { body } = await fetchFormulas(version);
      showConnection('Live', []);
      document.body.classList.toggle('has-service', body.has_service);
      if (body.version === version) continue;
      const previous = formulas;
      ({ version, formulas } = body);
      render();
      followSelected(previous);
    } catch (error) {
      // The next server counts its versions from the start.
      version = 0;
      const command = create('code', {}, COMMAND);
      if (error instanceof TokenError)
        showConnection('Not connected', [
          'The token of this page is missing or is not that of the running workbench. Run ',
          command,
          ', and open the URL that it prints.',
        ]);
      else showConnection('Disconnected', ['The workbench has stopped. To continue on this page, run: ', command]);
      await new Promise((done) => setTimeout(done, RETRY_MS));
    }
  }
}

find('#skip').addEventListener('click', () => find('#main').focus());
filter.addEventListener('input', renderList);
void follow();
