/** "Save as test": the name of the test, and the result of saving it. */
import type { ListedFormula } from '../wire.ts';
import { saveAsTest } from './api.ts';
import { create, createId, visible } from './elements.ts';

export interface SaveForm {
  element: HTMLElement;
  /** Offers to save a run; hidden without one. */
  offer(formula: ListedFormula, run: string | undefined): void;
}

export function createSaveForm(): SaveForm {
  let offered: { formula: ListedFormula; run: string } | undefined;
  const id = createId();
  const input = create('input', { id, type: 'text', autocomplete: 'off', spellcheck: 'false' });
  const status = create('p', { role: 'status', class: 'status' });
  const element = create(
    'form',
    { class: 'save', novalidate: true, hidden: true },
    create('label', { for: id }, 'Test name'),
    create('div', { class: 'actions' }, input, create('button', { type: 'submit' }, 'Save as test'), status),
  );
  element.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (!offered) return;
    try {
      const { status: code, body } = await saveAsTest(offered.formula, input.value, offered.run);
      status.dataset['ok'] = String(code === 201 && body.passes);
      const text = code === 201 ? `Saved ${body.file}. ${body.warning ?? ''}` : (body.message ?? 'not saved');
      status.textContent = visible(text.trim());
    } catch {
      status.textContent = 'The request failed. Is formula dev still running?';
    }
  });
  return {
    element,
    offer: (formula, run) => {
      offered = run === undefined ? undefined : { formula, run };
      element.hidden = run === undefined;
      status.textContent = '';
    },
  };
}
