/** The page of the workbench: the list of formulas, and the selected one. */
import type { ListedFormula } from '../wire.ts';
import { fetchFormulas, initialFormula, rememberFormula, TokenError } from './api.ts';
import { create, visible } from './elements.ts';
import { describeState } from './findings.ts';
import { createPanel, type Panel } from './panel.ts';

const RETRY_MS = 1000;

const connection = find('connection');
const list = find('formulas');
const main = find('main');
const panels = new Map<string, Panel>();
let formulas: readonly ListedFormula[] = [];
let selectedId = initialFormula ?? '';

function find(id: string): HTMLElement {
  return document.getElementById(id) ?? document.body;
}

function show(id: string): void {
  selectedId = id;
  rememberFormula(id);
  render();
}

/** Panels stay in memory with their forms. */
function render(): void {
  const formula = formulas.find(({ id }) => id === selectedId) ?? formulas[0];
  if (!formula) {
    list.replaceChildren();
    main.replaceChildren(create('p', {}, 'No formulas found. To create one, run: formulary formula init DIR'));
    return;
  }
  selectedId = formula.id;
  const panel = panels.get(formula.id) ?? createPanel(formula);
  panels.set(formula.id, panel);
  panel.update(formula);
  if (main.firstChild !== panel.element) main.replaceChildren(panel.element);
  renderList();
}

/** Changes the items in place, so that the focus is preserved. */
function renderList(): void {
  while (list.children.length > formulas.length) list.lastElementChild?.remove();
  while (list.children.length < formulas.length) {
    const button = create('button', { type: 'button' });
    button.addEventListener('click', () => show(button.value));
    list.append(create('li', {}, button));
  }
  for (const [i, formula] of formulas.entries()) {
    const button = list.children[i]?.firstElementChild as HTMLButtonElement;
    button.value = formula.id;
    button.setAttribute('aria-current', String(formula.id === selectedId));
    button.replaceChildren(
      create('span', { class: 'name' }, visible(formula.name ?? formula.folder)),
      create('span', { class: 'folder' }, visible(formula.folder)),
      create('span', { class: formula.valid ? 'state' : 'state error' }, describeState(formula)),
    );
  }
}

async function follow(): Promise<void> {
  let version = 0;
  for (;;) {
    try {
      const { body } = await fetchFormulas(version);
      connection.textContent = 'Live';
      if (body.version === version) continue;
      ({ version, formulas } = body);
      render();
    } catch (error) {
      if (error instanceof TokenError) {
        connection.textContent = 'Not connected';
        main.replaceChildren(
          create('p', {}, 'The token is missing or no longer valid. Open the URL that formulary formula dev printed.'),
        );
        return;
      }
      connection.textContent = 'Disconnected. To continue, run formulary formula dev again.';
      await new Promise((done) => setTimeout(done, RETRY_MS));
    }
  }
}

find('skip').addEventListener('click', () => main.focus());
void follow();
