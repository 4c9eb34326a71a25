/** The output of `history`: the list of saved versions, and one version as a diff. */
import { changedFields, toRequestBody } from '../formula-fields.ts';
import type { Formula } from '../model.ts';
import { escapeInvisible } from '../output/escape.ts';
import type { View } from '../output/formats.ts';
import type { Column } from '../output/tsv.ts';
import type { HistoryEntry, HistoryRow } from '../state/history-entries.ts';
import { toDisplayValue } from '../sync/push/changes.ts';
import { formatFieldDiff } from './field-diff.ts';
import { tableView, timeColumn } from './list-view.ts';

const ROW_FIELDS = ['entry', 'run', 'at', 'operation', 'profile', 'target', 'id', 'name'] as const;

export const HISTORY_FIELDS: readonly string[] = ROW_FIELDS;

export const VERSION_FIELDS: readonly string[] = [...ROW_FIELDS, 'remote', 'changes'];

/** On a terminal, with the base URLs only if there may be several. */
export function historyView(rows: readonly HistoryRow[], now: Date, withTargets: boolean): View {
  const columns: Column<HistoryRow>[] = [
    { title: 'ENTRY', cell: ({ entry }) => entry, kind: 'id' },
    timeColumn('AT', ({ at }) => at, now),
    { title: 'BEFORE', cell: ({ operation }) => operation },
    { title: 'NAME', cell: ({ name }) => name, kind: 'name' },
    { title: 'TARGET', cell: ({ target }) => target, kind: 'path', isOptional: true },
    { title: 'PROFILE', cell: ({ profile }) => profile ?? '', kind: 'path', isOptional: true },
    { title: 'RUN', cell: ({ run }) => run, kind: 'id' },
  ];
  const shown = columns.filter(({ title }) => withTargets || title !== 'TARGET');
  return {
    value: rows.map(toItem),
    table: (target) => tableView(rows, target.isTerminal ? shown : columns).table(target),
  };
}

const toItem = (row: HistoryRow) => Object.fromEntries(ROW_FIELDS.map((field) => [field, row[field]]));

/** The version, and how it differs from the formula on the service, which is undefined if it no longer exists. */
export function versionView(entry: HistoryEntry, present: Formula | undefined): View {
  const saved = toRequestBody(entry.formula);
  const fields = present ? changedFields(saved, present) : (Object.keys(saved) as (keyof typeof saved)[]);
  const changes = fields.map((field) => ({
    field,
    saved: toDisplayValue(field, saved[field]),
    remote: toDisplayValue(field, present?.[field]),
  }));
  return {
    value: { ...toItem(entry), remote: present ? 'present' : 'gone', changes },
    table: async (target) => {
      const { createStyle } = await import('../output/style.ts');
      const style = createStyle(target);
      const names = { from: 'service', to: 'saved' };
      const lines = [
        style.strong(escapeInvisible(`${entry.entry}  ${entry.name}  ${entry.id}`)),
        escapeInvisible(
          `saved before the ${entry.operation} of ${entry.at}, ${entry.target}${entry.profile === null ? '' : `, profile ${entry.profile}`}, run ${entry.run}`,
        ),
      ];
      for (const { field, saved: to, remote: from } of changes)
        lines.push(...(await formatFieldDiff({ field, from, to }, names, style)));
      return `${lines.join('\n')}\n`;
    },
  };
}
