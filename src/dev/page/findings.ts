/** The findings of a formula, with their source lines. */
import type { ListedFinding, ListedFormula } from '../wire.ts';
import { create, createBlock, visible } from './elements.ts';

/** How a formula is marked: the worst of its errors, failed tests, and warnings; `valid` without any. */
export function describeState({ valid, findings }: ListedFormula, failedTests: number) {
  const count = (level: string) => findings.filter((finding) => finding.level === level).length;
  const format = (number: number, noun: string, end = '') => `${number} ${noun}${number === 1 ? '' : 's'}${end}`;
  const errors = count('error');
  if (errors > 0 || !valid) return { kind: 'error', text: errors > 0 ? format(errors, 'error') : 'invalid' };
  if (failedTests > 0) return { kind: 'error', text: format(failedTests, 'test', ' failed') };
  const warnings = count('warning');
  return warnings > 0 ? { kind: 'warning', text: format(warnings, 'warning') } : { kind: 'ok', text: 'valid' };
}

export function renderFindings({ findings }: ListedFormula): HTMLElement[] {
  const items = findings.filter(({ level }) => level !== 'note').map(renderFinding);
  return items.length === 0 ? [] : [create('h3', {}, 'Findings'), create('ul', { class: 'findings' }, ...items)];
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
