/** The outcomes of cases: for people, for programs, and for a CI. */

import { displayPath } from '../files/paths.ts';
import type { Sink } from '../host/host.ts';
import { visible, visibleLines } from '../output/escape.ts';
import type { Answer } from '../output/formats.ts';
import type { JunitCase } from '../report/junit.ts';
import type { CaseResult } from '../run/run-case.ts';

/** A case that was run, with what shows where it failed. */
export interface RanCase extends CaseResult {
  folder: string;
  file: string;
  name: string;
  frame: string;
}

/** The result document, and for people a line for each case, with the difference below those that failed. */
export function testAnswer(cases: readonly RanCase[]): Answer {
  const items = cases.map(({ folder, file, name, outcome, durationMs, message, mismatch, failure }) => ({
    folder,
    file,
    case: name,
    outcome,
    duration_ms: durationMs,
    ...(outcome === 'failed' && {
      error: { message, ...mismatch, ...(failure?.places.length && { places: failure.places }) },
    }),
  }));
  const failed = items.filter(({ outcome }) => outcome === 'failed').length;
  const summary = { total: items.length, passed: items.length - failed, failed };
  return {
    value: { schema_version: 1, items, summary },
    table: async (paper) => {
      const texts: string[] = [];
      for (const ran of cases) texts.push(await caseText(ran, paper));
      return `${texts.join('')}${summary.passed} passed, ${summary.failed} failed\n`;
    },
  };
}

const titleOf = ({ folder, file, name }: RanCase) => `${folder}/${file}: ${name}`;

async function caseText(ran: RanCase, paper: Pick<Sink, 'hasColour'>): Promise<string> {
  const { styleOf } = await import('../output/style.ts');
  const style = styleOf(paper);
  if (ran.outcome === 'passed') return `${style.good('passed')} ${visible(titleOf(ran))} (${ran.durationMs} ms)\n`;
  const details = [visibleLines(ran.message ?? ''), ran.frame.trimStart(), ...(await differenceLines(ran, style))];
  return `${style.error('failed')} ${visible(titleOf(ran))} (${ran.durationMs} ms)\n${indented(details)}`;
}

/** The difference as a unified diff of JSON; keys in one order, since their order is no difference. */
async function differenceLines(
  { mismatch, failure }: RanCase,
  style: Parameters<typeof differences>[2],
): Promise<string[]> {
  if (!mismatch) return [];
  const isOfErrors = Object.hasOwn(Object(mismatch.expected), 'error');
  // What the code threw is above already.
  if (!isOfErrors && failure?.message.includes('\n')) return [];
  return differences(mismatch.expected, mismatch.actual, style);
}

async function differences(expected: unknown, actual: unknown, style: import('../output/style.ts').Style) {
  const { textDiff } = await import('../output/text-diff.ts');
  const text = (value: unknown) => `${JSON.stringify(sorted(value), null, 2)}\n`;
  return textDiff({ from: 'expected', to: 'actual' }, text(expected), text(actual), style);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, member]) => [key, sorted(member)]));
}

const indented = (texts: readonly string[]) =>
  texts
    .filter(Boolean)
    .flatMap((text) => text.split('\n'))
    .map((line) => `  ${line}\n`)
    .join('');

/** A case of the JUnit report; what the code printed and what is odd are remarks. */
export function junitCase(ran: RanCase): JunitCase {
  const { folder, file, name, outcome, durationMs, message = '', warnings, printed } = ran;
  return {
    name: `${file}: ${name}`,
    classname: folder,
    file: displayPath(folder, file),
    durationMs,
    failures: outcome === 'failed' ? [{ type: 'failed', message }] : [],
    remarks: [...warnings, ...(printed ? [printed] : [])],
  };
}
