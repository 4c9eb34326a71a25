/** The findings of a formula, with their source lines. */
import type { ListedFinding, ListedFormula } from '../wire.ts';
import { create, createBlock, visible } from './elements.ts';

/** `valid`, or how many errors and warnings there are. */
export function describeState({ valid, findings }: ListedFormula): string {
  const counts = (['error', 'warning'] as const).flatMap((level) => {
    const count = findings.filter((finding) => finding.level === level).length;
    return count === 0 ? [] : [`${count} ${level}${count === 1 ? '' : 's'}`];
  });
  return counts.join(', ') || (valid ? 'valid' : 'invalid');
}

export function renderFindings({ findings }: ListedFormula): HTMLElement {
  const visibleFindings = findings.filter(({ level }) => level !== 'note');
  if (visibleFindings.length === 0) return create('p', { class: 'hint' }, 'No errors or warnings.');
  return create('ul', { class: 'findings' }, ...visibleFindings.map(renderFinding));
}

function renderFinding({ level, rule, message, fix, file, line, column, frame }: ListedFinding): HTMLElement {
  return create(
    'li',
    { class: level },
    create('p', {}, create('strong', {}, level), ` ${visible(message)} `, create('code', {}, rule)),
    ...(fix ? [create('p', { class: 'hint' }, visible(`Fix: ${fix}`))] : []),
    createLocation(`${file}:${line}:${column}`, frame),
  );
}

const createLocation = (location: string, frame: string | undefined): HTMLElement =>
  frame === undefined ? create('p', { class: 'folder' }, visible(location)) : createBlock(location, frame);
