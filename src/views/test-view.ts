/** The results of `formula test`: document, table, and JUnit cases. */

import { toDisplayPath } from '../files/paths.ts';
import type { OutputStream } from '../host/host.ts';
import { escapeControls, escapeControlsByLine } from '../output/escape.ts';
import type { FieldSet } from '../output/fields.ts';
import type { View } from '../output/formats.ts';
import type { JunitCase } from '../report/junit.ts';
import type { InvalidFolder } from '../run/tests/load-tests.ts';
import type { RanCase, TestResult } from '../run/tests/run-tests.ts';

export const TEST_FIELDS: FieldSet = {
  known: ['folder', 'file', 'case', 'outcome', 'duration_ms', 'error', 'warnings', 'findings'],
};

/** The result document; as a table, one line per test, with the differences of those that failed. */
export function testView(results: readonly TestResult[]): View {
  const items = results.map(itemOf);
  const count = (expected: string) => items.filter(({ outcome }) => outcome === expected).length;
  const summary = {
    total: items.length,
    passed: count('passed'),
    failed: count('failed'),
    invalid: count('invalid'),
  };
  const invalid = summary.invalid > 0 ? `, ${summary.invalid} invalid` : '';
  return {
    value: { schema_version: 1, items, summary },
    table: async (target) => {
      const texts: string[] = [];
      for (const result of results) texts.push(await resultText(result, target));
      return `${texts.join('')}${summary.passed} passed, ${summary.failed} failed${invalid}\n`;
    },
  };
}

function itemOf(result: TestResult) {
  if (result.outcome === 'invalid') {
    const { folder, outcome, findings } = result;
    return { folder, file: null, case: null, outcome, duration_ms: 0, findings };
  }
  const { folder, file, name, outcome, durationMs, message, mismatch, failure, warnings } = result;
  return {
    folder,
    file,
    case: name,
    outcome,
    duration_ms: durationMs,
    ...(outcome === 'failed' && {
      error: { message, ...mismatch, ...(failure?.locations.length && { places: failure.locations }) },
    }),
    ...(warnings.length > 0 && { warnings }),
  };
}

const SLOWEST = 5;

/** The tests that took longest, one per line; none where there is one test. */
export function slowestLines(results: readonly TestResult[]): string[] {
  const ran = results.filter((result): result is RanCase => result.outcome !== 'invalid');
  if (ran.length < 2) return [];
  const slowest = [...ran].sort((a, b) => b.durationMs - a.durationMs).slice(0, SLOWEST);
  return slowest.map((one) => escapeControls(`slowest: ${formatTitle(one)} (${one.durationMs} ms)`));
}

const formatTitle = ({ folder, file, name }: RanCase) => `${folder}/${file}: ${name}`;

async function resultText(ran: TestResult, paper: Pick<OutputStream, 'hasColor'>): Promise<string> {
  const { createStyle } = await import('../output/style.ts');
  const style = createStyle(paper);
  if (ran.outcome === 'invalid') return `${style.error('invalid')} ${escapeControls(ran.folder)}\n`;
  if (ran.outcome === 'passed')
    return `${style.good('passed')} ${escapeControls(formatTitle(ran))} (${ran.durationMs} ms)\n`;
  const details = [
    escapeControlsByLine(ran.message ?? ''),
    ran.frame.trimStart(),
    ...(await formatMismatch(ran, style)),
  ];
  return `${style.error('failed')} ${escapeControls(formatTitle(ran))} (${ran.durationMs} ms)\n${indent(details)}`;
}

/** A unified diff of JSON with sorted keys, since their order does not matter. */
async function formatMismatch(
  { mismatch, failure }: RanCase,
  style: Parameters<typeof formatJsonDiff>[2],
): Promise<string[]> {
  if (!mismatch) return [];
  const isOfErrors = Object.hasOwn(Object(mismatch.expected), 'error');
  // The thrown error was already printed.
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

/** A JUnit case; the output and the warnings are remarks. */
export function toJunitCase(completed: TestResult): JunitCase {
  if (completed.outcome === 'invalid') return invalidJunitCase(completed);
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

function invalidJunitCase({ folder, findings }: InvalidFolder): JunitCase {
  const [first] = findings.filter(({ level }) => level === 'error');
  const message = first ? `${first.file}:${first.line}:${first.column}: ${first.message}` : 'the folder is invalid';
  return {
    name: folder,
    classname: folder,
    file: toDisplayPath(folder, first?.file ?? 'manifest.json'),
    failures: [{ type: first?.rule ?? 'invalid', message }],
    remarks: [],
  };
}
