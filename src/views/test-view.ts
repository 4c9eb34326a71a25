import { escapeControls, escapeControlsByLine } from '../output/escape.ts';
import type { OutputTarget, View } from '../output/formats.ts';
import { wrapMessage } from '../output/wrap-message.ts';
import { type JunitCase, toFailures } from '../report/junit.ts';
import type { InvalidFolder } from '../run/cases/load-tests.ts';
import type { FinishedTest, TestResult, UpdatedFile } from '../run/cases/run-tests.ts';
import { formatStandInNotes } from '../run/run-flags.ts';
import { countOutcomes } from '../sync/outcome.ts';
import { toDocument } from './list-view.ts';

export const TEST_FIELDS = 'folder file case outcome duration_ms error warnings findings'.split(' ');

/** The result document; as a table, one line per test, with the differences of those that failed. */
export function testView(results: readonly TestResult[]): View {
  const items = results.map(toItem);
  return {
    value: toDocument(items, countResults(results)),
    table: async (target) => {
      const texts: string[] = [];
      for (const result of results) texts.push(await resultText(result, target));
      return texts.join('');
    },
  };
}

const isRan = (result: TestResult): result is FinishedTest => result.outcome !== 'invalid';

const countResults = (results: readonly TestResult[]) =>
  countOutcomes(results, 'outcome', ['passed', 'failed', 'invalid']);

export const findWorstOutcome = (results: readonly TestResult[]) =>
  (['invalid', 'failed'] as const).find((worst) => results.some(({ outcome }) => outcome === worst));

/** The summary line: the number of tests per outcome. */
export function formatTestSummary(results: readonly TestResult[]): string {
  const { passed, failed, invalid } = countResults(results);
  if (results.length === 0) return 'nothing to do';
  return `${passed} passed, ${failed} failed${invalid > 0 ? `, ${invalid} invalid` : ''}`;
}

/** The output of the code in failed tests, with `isVerbose` in all tests; then warnings. */
export function formatTestNotes(results: readonly TestResult[], isVerbose: boolean): string[] {
  const ran = results.filter(isRan);
  const notes = ran.flatMap(({ outcome, printed, warnings, ...test }) => {
    const title = escapeControls(formatTitle(test));
    const isShown = printed && (outcome === 'failed' || isVerbose);
    return [
      ...(isShown ? [`${title} printed:\n${escapeControlsByLine(printed.trimEnd())}`] : []),
      ...warnings.map((warning) => `warning: ${title}: ${escapeControls(warning)}`),
    ];
  });
  const standIns = formatStandInNotes(ran.flatMap((result) => result.standIns ?? []));
  return isVerbose ? [...notes, ...standIns.map(escapeControls), ...slowestLines(ran)] : notes;
}

/** The note on a file whose tests have new expectations. */
export const formatUpdate = ({ displayPath, changes }: UpdatedFile): string =>
  escapeControls(`Updated: ${displayPath} (${changes.length} ${changes.length === 1 ? 'test' : 'tests'})`);

function toItem(result: TestResult) {
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
const INDENT = '  ';
/** The width of code frames in the output. */
export const getFrameColumns = ({ columns }: OutputTarget): number => columns - INDENT.length;

/** The tests that took longest, one per line; none where there is one test. */
function slowestLines(ran: readonly FinishedTest[]): string[] {
  if (ran.length < 2) return [];
  const slowest = [...ran].sort((a, b) => b.durationMs - a.durationMs).slice(0, SLOWEST);
  return slowest.map((one) => escapeControls(`slowest: ${formatTitle(one)} (${one.durationMs} ms)`));
}

const formatTitle = ({ folder, file, name }: Pick<FinishedTest, 'folder' | 'file' | 'name'>) =>
  `${folder}/${file}: ${name}`;

async function resultText(ran: TestResult, target: OutputTarget): Promise<string> {
  const { createStyle } = await import('../output/style.ts');
  const style = createStyle(target);
  if (ran.outcome === 'invalid') return `${style.error('invalid')} ${escapeControls(ran.folder)}\n`;
  if (ran.outcome === 'passed')
    return `${style.good('passed')} ${escapeControls(formatTitle(ran))} (${ran.durationMs} ms)\n`;
  const message = wrapMessage(escapeControlsByLine(ran.message ?? ''), {
    ...target,
    columns: target.columns - INDENT.length,
  });
  const details = [message, ran.frame.replace(/^\n/, ''), ...(await formatMismatch(ran, style))];
  return `${style.error('failed')} ${escapeControls(formatTitle(ran))} (${ran.durationMs} ms)\n${indent(details)}`;
}

async function formatMismatch(
  { mismatch, failure }: FinishedTest,
  style: import('../output/style.ts').Style,
): Promise<string[]> {
  if (!mismatch) return [];
  // The thrown error was already printed.
  if (failure && !Object.hasOwn(Object(mismatch.expected), 'error')) return [];
  const { formatJsonDiff } = await import('../output/text-diff.ts');
  return formatJsonDiff(mismatch, style);
}

const indent = (texts: readonly string[]) =>
  texts
    .filter(Boolean)
    .flatMap((text) => text.split('\n'))
    .map((line) => `${INDENT}${line}\n`)
    .join('');

/** A JUnit case; the output and the warnings are remarks. */
export function toJunitCase(completed: TestResult): JunitCase {
  if (completed.outcome === 'invalid') return invalidJunitCase(completed);
  const { folder, file, name, outcome, durationMs, message = '', warnings, printed } = completed;
  return {
    folder,
    file,
    name: `${file}: ${name}`,
    durationMs,
    failures: outcome === 'failed' ? [{ type: 'failed', message }] : [],
    remarks: [...warnings, ...(printed ? [printed] : [])],
  };
}

function invalidJunitCase({ folder, findings }: InvalidFolder): JunitCase {
  const errors = findings.filter(({ level }) => level === 'error');
  return { folder, file: errors[0]?.file, failures: toFailures(errors), remarks: [] };
}
