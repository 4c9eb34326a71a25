/** The outcomes of cases: for people, for programs, and for a CI. */

import { toDisplayPath } from '../files/paths.ts';
import type { OutputStream } from '../host/host.ts';
import { escapeControls, escapeControlsByLine } from '../output/escape.ts';
import type { View } from '../output/formats.ts';
import type { JunitCase } from '../report/junit.ts';
import type { CaseResult } from '../run/run-case.ts';

/** A case that was run, with what shows where it failed. */
export interface CompletedCase extends CaseResult {
  folder: string;
  file: string;
  name: string;
  frame: string;
}

/** The result document, and for people a line for each case, with the difference below those that failed. */
export function testView(cases: readonly CompletedCase[]): View {
  const items = cases.map(({ folder, file, name, outcome, durationMs, message, mismatch, failure }) => ({
    folder,
    file,
    case: name,
    outcome,
    duration_ms: durationMs,
    ...(outcome === 'failed' && {
      error: { message, ...mismatch, ...(failure?.locations.length && { places: failure.locations }) },
    }),
  }));
  const failed = items.filter(({ outcome }) => outcome === 'failed').length;
  const summary = { total: items.length, passed: items.length - failed, failed };
  return {
    value: { schema_version: 1, items, summary },
    table: async (target) => {
      const texts: string[] = [];
      for (const completed of cases) texts.push(await formatCase(completed, target));
      return `${texts.join('')}${summary.passed} passed, ${summary.failed} failed\n`;
    },
  };
}

const formatTitle = ({ folder, file, name }: CompletedCase) => `${folder}/${file}: ${name}`;

async function formatCase(completed: CompletedCase, target: Pick<OutputStream, 'hasColor'>): Promise<string> {
  const { createStyle } = await import('../output/style.ts');
  const style = createStyle(target);
  if (completed.outcome === 'passed')
    return `${style.good('passed')} ${escapeControls(formatTitle(completed))} (${completed.durationMs} ms)\n`;
  const details = [
    escapeControlsByLine(completed.message ?? ''),
    completed.frame.trimStart(),
    ...(await formatMismatch(completed, style)),
  ];
  return `${style.error('failed')} ${escapeControls(formatTitle(completed))} (${completed.durationMs} ms)\n${indent(details)}`;
}

/** The difference as a unified diff of JSON; keys in one order, since their order is no difference. */
async function formatMismatch(
  { mismatch, failure }: CompletedCase,
  style: Parameters<typeof formatJsonDiff>[2],
): Promise<string[]> {
  if (!mismatch) return [];
  const isOfErrors = Object.hasOwn(Object(mismatch.expected), 'error');
  // What the code threw is above already.
  if (!isOfErrors && failure?.message.includes('\n')) return [];
  return formatJsonDiff(mismatch.expected, mismatch.actual, style);
}

async function formatJsonDiff(expected: unknown, actual: unknown, style: import('../output/style.ts').Style) {
  const { formatDiff } = await import('../output/text-diff.ts');
  const text = (value: unknown) => `${JSON.stringify(sortKeys(value), null, 2)}\n`;
  return formatDiff({ from: 'expected', to: 'actual' }, text(expected), text(actual), style);
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, member]) => [key, sortKeys(member)]));
}

const indent = (texts: readonly string[]) =>
  texts
    .filter(Boolean)
    .flatMap((text) => text.split('\n'))
    .map((line) => `  ${line}\n`)
    .join('');

/** A case of the JUnit report; what the code printed and what is odd are remarks. */
export function toJunitCase(completed: CompletedCase): JunitCase {
  const { folder, file, name, outcome, durationMs, message = '', warnings, printed } = completed;
  return {
    name: `${file}: ${name}`,
    classname: folder,
    file: toDisplayPath(folder, file),
    durationMs,
    failures: outcome === 'failed' ? [{ type: 'failed', message }] : [],
    remarks: [...warnings, ...(printed ? [printed] : [])],
  };
}
