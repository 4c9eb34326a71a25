/** Formats a plan, or a comparison of behavior, as Markdown for comments on pull requests. Foreign text is only in code, where it has no effect. */
import { escapeInvisible } from '../output/escape.ts';
import { listFirst, truncateText } from '../text/shorten.ts';

export interface PlanReport {
  /** The name or base URL of the service, if there was a connection. */
  target: string | undefined;
  /** The number of steps per action: `1 to create, 2 to update`. */
  summary: string;
  /** Without the steps that change nothing. */
  steps: readonly ReportStep[];
  /** The file that contains the complete plan, or the command that shows it. */
  fullPlan: string;
}

export interface ReportStep {
  action: string;
  folder: string | null;
  name: string;
  /** The names of the changed fields. */
  fields: readonly string[];
  /** The cause of a conflict, the old name. */
  remarks: readonly string[];
  overwrites: boolean;
  /** The changes that break existing reactors or callers. */
  breaking: readonly string[];
  /** How to resolve a conflict. */
  hints: readonly string[];
  /** Lines of a unified diff, with invisible characters escaped. */
  diff: readonly string[];
}

/** GitHub rejects comments above 65,536 characters; the rest is for what a job adds. */
const MAX_CHARACTERS = 65_000;
/** For the frame of each group and the last line. */
const MARGIN = 2000;
const MAX_NAME = 150;
/** A truncated command would not work. */
const MAX_COMMAND = 400;
const MAX_LINE = 400;
/** A formula's share of the report, if there are many. */
const MIN_DIFF = 1500;
const MAX_WARNED = 10;
/** Longer groups are collapsed. */
const MAX_OPEN = 20;

/** The actions in the order of the report. */
const TITLES: Readonly<Record<string, string>> = {
  conflict: 'in conflict',
  delete: 'to delete',
  update: 'to update',
  create: 'to create',
  unmanaged: 'unmanaged',
};

/** At most 65,000 characters: first all formulas get a line, then as many as possible a diff. */
export function formatMarkdownReport(plan: PlanReport): string {
  const steps = Object.keys(TITLES).flatMap((action) => plan.steps.filter((step) => step.action === action));
  const title = plan.target === undefined ? 'Plan' : `Plan for ${formatCode(plan.target)}`;
  const head = `## ${title}\n\n**${plan.summary}**\n\n${formatWarnings(steps)}`;
  const entries = layOut(steps, MAX_CHARACTERS - MARGIN - head.length);
  const groups = Object.keys(TITLES).map((action) => formatGroup(action, entries, steps));
  return `${head}${groups.join('')}${formatRest(entries, steps.length - entries.length, plan.fullPlan)}`;
}

function formatRest(entries: readonly Entry[], hidden: number, fullPlan: string): string {
  const cut = entries.filter(({ isCut }) => isCut).length;
  if (hidden + cut === 0) return '';
  const rest = hidden > 0 ? `${countFormulas(hidden, 'more ')} not shown` : `${cut} of the diffs not shown in full`;
  return `${rest}; the full plan is ${formatCode(fullPlan, MAX_COMMAND)}\n`;
}

interface Entry {
  action: string;
  text: string;
  isCut: boolean;
}

/** The entries that fit into `room` characters, with a diff where it fits. */
function layOut(steps: readonly ReportStep[], room: number): Entry[] {
  let left = room;
  const entries: Entry[] = [];
  for (const step of steps) {
    const text = `- ${formatTitle(step, formatCode)}\n`;
    left -= text.length;
    if (left < 0) break;
    entries.push({ action: step.action, text, isCut: step.diff.length + step.hints.length > 0 });
  }
  let count = entries.filter(({ isCut }) => isCut).length;
  for (const [i, entry] of entries.entries()) {
    const step = steps[i];
    if (!step || !entry.isCut) continue;
    const collapsed = formatCollapsed(step, Math.max(MIN_DIFF, Math.floor(left / count)));
    count--;
    if (collapsed.text.length - entry.text.length > left) continue;
    left -= collapsed.text.length - entry.text.length;
    Object.assign(entry, collapsed);
  }
  return entries;
}

function formatCollapsed(step: ReportStep, maxCharacters: number): { text: string; isCut: boolean } {
  const lines: string[] = [];
  let isCut = false;
  let length = 0;
  for (const line of step.diff) {
    const shown = shorten(line, MAX_LINE);
    length += shown.length + 1;
    if (length > maxCharacters) break;
    isCut ||= shown !== line;
    lines.push(shown);
  }
  const hidden = step.diff.length - lines.length;
  if (hidden > 0) lines.push(`… ${hidden} more lines`);
  const fence = '`'.repeat(Math.max(3, longestBackticks(lines) + 1));
  const title = formatTitle(step, formatHtmlCode);
  const hints = step.hints.map((hint) => `- ${formatCode(hint, MAX_COMMAND)}\n`).join('');
  const diff = lines.length === 0 ? '' : `${fence}diff\n${lines.join('\n')}\n${fence}\n`;
  const text = `<details><summary>${title}</summary>\n\n${hints}${hints && diff && '\n'}${diff}\n</details>\n`;
  return { text, isCut: isCut || hidden > 0 };
}

/** The folder, the name, the changed fields, and the remarks. */
function formatTitle({ folder, name, fields, remarks }: ReportStep, toCode: (text: string) => string): string {
  const subject = [...(folder === null ? [] : [toCode(folder)]), toCode(name)].join(' ');
  return [subject, ...(fields.length > 0 ? [fields.join(', ')] : []), ...remarks.map((remark) => toCode(remark))].join(
    ' · ',
  );
}

function formatGroup(action: string, entries: readonly Entry[], steps: readonly ReportStep[]): string {
  const own = entries.filter((entry) => entry.action === action);
  if (own.length === 0) return '';
  const count = steps.filter((step) => step.action === action).length;
  const [lines, collapsed] = [own.filter(isLine), own.filter((entry) => !isLine(entry))].map((some) =>
    some.map(({ text }) => text).join(''),
  );
  const open = own.length > MAX_OPEN ? '' : ' open';
  return `<details${open}><summary><b>${count} ${TITLES[action]}</b></summary>\n\n${collapsed}${collapsed && lines && '\n'}${lines}\n</details>\n\n`;
}

const isLine = ({ text }: Entry) => text.startsWith('- ');

/** Breaking changes, conflicts, deletions, and overwrites. */
function formatWarnings(steps: readonly ReportStep[]): string {
  const warnings = [
    ['in conflict; this plan cannot be applied', steps.filter(({ action }) => action === 'conflict')],
    ['to be deleted', steps.filter(({ action }) => action === 'delete')],
    [
      'overwriting a remote version that may contain changes by others',
      steps.filter(({ action, overwrites }) => overwrites && action !== 'conflict'),
    ],
  ] as const;
  const lines = warnings.flatMap(([text, concerned]) =>
    concerned.length === 0 ? [] : [`> - **${countFormulas(concerned.length)} ${text}:** ${listNames(concerned)}\n`],
  );
  const all = [...formatBreaking(steps), ...lines];
  return all.length === 0 ? '' : `> [!WARNING]\n${all.join('')}\n`;
}

function formatBreaking(steps: readonly ReportStep[]): string[] {
  const changes = steps.flatMap(({ folder, name, breaking }) =>
    breaking.map((change) => `> - ${formatCode(folder ?? name)} ${formatCode(change)}\n`),
  );
  const hidden = changes.length - MAX_WARNED;
  return [...changes.slice(0, MAX_WARNED), ...(hidden > 0 ? [`> - and ${hidden} more breaking changes\n`] : [])];
}

function listNames(steps: readonly ReportStep[]): string {
  return listFirst(
    steps.map(({ folder, name }) => formatCode(folder ?? name)),
    MAX_WARNED,
  );
}

const countFormulas = (count: number, more = '') => `${count} ${more}${count === 1 ? 'formula' : 'formulas'}`;

/** A code span, which contains no Markdown, HTML, mention, or reference. */
function formatCode(text: string, max = MAX_NAME): string {
  const line = shorten(escapeInvisible(text), max) || ' ';
  const fence = '`'.repeat(longestBackticks([line]) + 1);
  return fence.length === 1 && line.trim() === line ? `\`${line}\`` : `${fence} ${line} ${fence}`;
}

/** The same as HTML, since Markdown has no effect in a summary. */
const formatHtmlCode = (text: string): string =>
  `<code>${shorten(escapeInvisible(text), MAX_NAME).replace(/[&<>"'`*_[\]\\~|:@#]/g, (sign) => `&#${sign.charCodeAt(0)};`)}</code>`;

const longestBackticks = (lines: readonly string[]): number =>
  Math.max(0, ...lines.flatMap((line) => (line.match(/`+/g) ?? []).map(({ length }) => length)));

/** Shortens a text, not within a surrogate pair. */
const shorten = (text: string, max: number): string =>
  text.length <= max ? text : `${truncateText(text, max)} (${text.length - max} more characters)`;

export interface ComparisonReport {
  /** What the folders were compared with. */
  reference: string;
  summary: string;
  /** Repeats the generated calls. */
  seed: number | undefined;
  lines: readonly { folder: string; outcome: string; text: string; difference?: string }[];
}

const MAX_COMPARISON = 60_000;

/** One line for each formula: differences first, then what was not compared. */
export function formatComparisonReport({ reference, summary, seed, lines }: ComparisonReport): string {
  let report = `### Behavior compared with ${formatCode(reference)}\n\n**${summary}**${seed === undefined ? '' : ` (seed ${seed})`}\n\n`;
  const ordered = ['differs', 'skipped', 'same'].flatMap((outcome) => lines.filter((one) => one.outcome === outcome));
  for (const [i, { folder, outcome, text, difference }] of ordered.entries()) {
    const title = outcome === 'differs' ? '**differs**, ' : text.startsWith(outcome) ? '' : `${outcome}, `;
    const details = difference === undefined ? '' : `: ${formatCode(difference, MAX_LINE)}`;
    const line = `- ${formatCode(folder)}: ${title}${text}${details}\n`;
    if (report.length + line.length > MAX_COMPARISON) return `${report}\n${ordered.length - i} more not shown\n`;
    report += line;
  }
  return report;
}
