/** A formula, and a list of them, as answers. */
import type { Formula, FormulaBody } from '../model.ts';
import { type Answer, textOf } from '../output/formats.ts';
import { type Field, fieldsAnswer, tableAnswer, timeColumn } from './list-view.ts';
import { signColumn } from './status-icons.ts';

const LIST_COLUMNS = [
  { title: 'ID', cell: ({ id }: Formula) => id, isWhole: true },
  { title: 'NAME', cell: ({ name }: Formula) => name },
  signColumn('TYPE', ({ type }: Formula) => type ?? ''),
  signColumn('STATUS', ({ status }: Formula) => status ?? ''),
];

/** Formulas as the service answered them, and as a table of what tells them apart. */
export const formulaListAnswer = (formulas: readonly Formula[], now: Date): Answer =>
  tableAnswer(formulas, [
    ...LIST_COLUMNS,
    {
      ...timeColumn('MODIFIED', ({ modified_at }: Formula) => modified_at, now),
      shown: timeColumn('', ({ modified_at, created_at }: Formula) => modified_at ?? created_at, now).shown,
      isExtra: true,
    },
  ]);

/** One formula as the service answered it; a card on a terminal, in a pipe a line for each field, code and icon by their sizes. */
export const formulaAnswer = (formula: Formula, now: Date): Answer => ({
  value: formula,
  table: async (paper) => {
    if (!paper.isTerminal) return fieldsAnswer(formula, fieldsOf(formula)).table(paper);
    const { formulaCard } = await import('./formula-card.ts');
    return formulaCard(formula, now, paper);
  },
});

function fieldsOf(formula: Formula | FormulaBody): Field[] {
  return Object.entries(formula).map(([key, value]) => ({ key, text: fieldText(key, value) }));
}

function fieldText(key: string, value: unknown): string {
  if (value === null || value === undefined) return '';
  if (key === 'code') return `${Buffer.byteLength(String(value))} bytes`;
  if (key === 'icon')
    return `${/^data:image\/[a-z+]{1,10}(?=;)/.exec(String(value))?.[0] ?? 'no data URL of an image'}, ${String(value).length} characters`;
  if (key === 'configuration' || key === 'request_parameters') return contractText(value);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A contract as `name: type` each, optional ones with a question mark. */
function contractText(elements: unknown): string {
  if (!Array.isArray(elements)) return JSON.stringify(elements);
  return elements.map((element) => `${element?.name}${element?.optional ? '?' : ''}: ${element?.type}`).join(', ');
}

/** A request that is only shown (--dry-run): the body as it would be sent. */
export function callAnswer({
  method,
  path,
  body,
}: {
  method: string;
  path: readonly string[];
  body: FormulaBody;
}): Answer {
  const line = `/${path.join('/')}`;
  const value = { method, path: line, body };
  const { table } = fieldsAnswer(value, fieldsOf(body));
  return {
    value,
    table: async (paper) => `${method} ${line}\n${textOf(await table(paper))}`,
  };
}
