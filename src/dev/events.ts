/** Formats the output of the workbench on stderr. Pure. */
import type { WorkbenchFormula } from './list-formulas.ts';

/** One line for each formula that is new, was removed, or has other findings. */
export function describeChanges(
  formulas: readonly WorkbenchFormula[],
  previous: readonly WorkbenchFormula[],
): string[] {
  const before = new Map(previous.map((formula) => [formula.folder, describeState(formula)]));
  const now = new Map(formulas.map((formula) => [formula.folder, describeState(formula)]));
  return [
    ...[...now]
      .filter(([folder, state]) => before.get(folder) !== state)
      .map(([folder, state]) => `${folder}: ${state}`),
    ...[...before.keys()].filter((folder) => !now.has(folder)).map((folder) => `${folder}: removed`),
  ];
}

function describeState({ valid, findings }: WorkbenchFormula): string {
  const counts = (['error', 'warning'] as const).flatMap((level) => {
    const count = findings.filter((finding) => finding.level === level).length;
    return count === 0 ? [] : [`${count} ${level}${count === 1 ? '' : 's'}`];
  });
  return [valid ? 'valid' : 'invalid', ...counts].join(', ');
}
