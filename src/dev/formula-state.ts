/** The state of a formula in a few words, for the terminal and the page. Pure. */
import type { ListedFormula } from './wire.ts';

/** Counts of errors, failed tests, and warnings; a mark (`error`, `warning`, or `ok`), and the worst of them. */
export function formatState({ valid, findings }: ListedFormula, failedTests = 0) {
  const format = (number: number, noun: string, end = '') =>
    number === 0 ? [] : [`${number} ${noun}${number === 1 ? '' : 's'}${end}`];
  const count = (level: string) => findings.filter((finding) => finding.level === level).length;
  const bad = [...format(count('error'), 'error'), ...format(failedTests, 'test', ' failed')];
  const counts = [...bad, ...format(count('warning'), 'warning')];
  const kind = !valid || bad.length > 0 ? 'error' : counts.length > 0 ? 'warning' : 'ok';
  return { kind, counts, text: counts[0] ?? (valid ? 'valid' : 'invalid') };
}

/** One line for each formula that is new, was removed, or has other findings. */
export function formatChanges(formulas: readonly ListedFormula[], previous: readonly ListedFormula[]): string[] {
  const toState = (formula: ListedFormula) =>
    [formula.valid ? 'valid' : 'invalid', ...formatState(formula).counts].join(', ');
  const before = new Map(previous.map((formula) => [formula.folder, toState(formula)]));
  const now = new Map(formulas.map((formula) => [formula.folder, toState(formula)]));
  return [
    ...[...now].filter(([folder, state]) => before.get(folder) !== state).map((change) => change.join(': ')),
    ...[...before.keys()].filter((folder) => !now.has(folder)).map((folder) => `${folder}: removed`),
  ];
}
