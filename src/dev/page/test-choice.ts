/** The choice of a test that a run starts from. */
import type { ListedTest } from '../wire.ts';
import { create, createId, visible } from './elements.ts';

export interface TestChoice {
  element: HTMLElement;
  update(tests: readonly ListedTest[]): void;
  chosen(): { file: string; index: number } | undefined;
}

/** `onChoice` is called with the test that was chosen. */
export function createTestChoice(onChoice: (test: ListedTest) => Promise<void>): TestChoice {
  let tests: readonly ListedTest[] = [];
  const id = createId();
  const hint = create(
    'p',
    { class: 'hint', id: createId() },
    'Fills the form. The doubles of the test respond to the calls of the code.',
  );
  const select = create('select', { id, 'aria-describedby': hint.id });
  const element = create('div', { class: 'field' }, create('label', { for: id }, 'Start from a test'), hint, select);
  const find = () => tests.find((test) => toKey(test) === select.value);
  select.addEventListener('change', () => {
    const test = find();
    if (test) onChoice(test).catch(() => undefined);
  });
  element.hidden = true;
  return {
    element,
    update: (next) => {
      // Replacing the options would close an open list.
      if (JSON.stringify(next) === JSON.stringify(tests)) return;
      tests = next;
      const { value } = select;
      const options = next.map((test) =>
        create('option', { value: toKey(test) }, visible(`${test.file}: ${test.name}`)),
      );
      select.replaceChildren(create('option', { value: '' }, 'none'), ...options);
      select.value = next.some((test) => toKey(test) === value) ? value : '';
      element.hidden = next.length === 0;
    },
    chosen: () => {
      const test = find();
      return test && { file: test.file, index: test.index };
    },
  };
}

const toKey = ({ file, index }: ListedTest): string => `${index} ${file}`;
