/** The findings of a formula, with their source lines. */
import type { ListedFinding, ListedFormula } from '../wire.ts';
import { create, createBlock, visible } from './elements.ts';

export function renderFindings({ findings }: ListedFormula): HTMLElement[] {
  const items = findings.filter(({ level }) => level !== 'note').map(renderFinding);
  return items.length === 0 ? [] : [create('h3', {}, 'Findings'), create('ul', {}, ...items)];
}

function renderFinding({ level, rule, message, fix, file, line, column, frame }: ListedFinding): HTMLElement {
  const location = `${file}:${line}:${column}`;
  return create(
    'li',
    { class: level },
    create('p', {}, create('strong', {}, level), ` ${visible(message)} `, create('code', {}, rule)),
    ...(fix ? [create('p', { class: 'hint' }, visible(`Fix: ${fix}`))] : []),
    frame === undefined ? create('p', { class: 'hint' }, visible(location)) : createBlock(location, frame),
  );
}
