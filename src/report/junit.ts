/** Outcomes as a JUnit report, which CI systems read. */
import { escapeInvisiblePart } from '../output/escape.ts';

/** One thing that passed, or failed in some ways. */
export interface JunitCase {
  name: string;
  /** What it belongs to: a folder. */
  classname: string;
  /** The file that it is about, as a path from the working folder. */
  file?: string | undefined;
  /** How long it took, where that is known. */
  durationMs?: number | undefined;
  /** It was not begun. */
  isSkipped?: boolean;
  failures: readonly { type: string; message: string }[];
  /** What is worth knowing though it is no failure. */
  remarks: readonly string[];
}

/** The whole report: one suite of cases. Characters that XML 1.0 cannot hold, or that could drive a log, are written as `\uXXXX`. `hide` takes secrets out of each text. */
export function formatJunitReport(
  suite: string,
  unredacted: readonly JunitCase[],
  redact: (text: string) => string = (text) => text,
): string {
  const cases = unredacted.map((example) => redactCase(example, redact));
  const failed = cases.filter(({ failures }) => failures.length > 0).length;
  const skipped = cases.filter(({ isSkipped }) => isSkipped).length;
  const counts = `tests="${cases.length}" failures="${failed}" errors="0" skipped="${skipped}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite name=${formatAttribute(suite)} ${counts}>`,
    ...cases.flatMap(formatCase),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

/** A case without what is to be hidden: taken out before it is XML, which escapes what is escaped already. */
const redactCase = (
  { name, classname, file, failures, remarks, ...facts }: JunitCase,
  redact: (text: string) => string,
): JunitCase => ({
  ...facts,
  name: redact(name),
  classname: redact(classname),
  file: file && redact(file),
  failures: failures.map(({ type, message }) => ({ type, message: redact(message) })),
  remarks: remarks.map(redact),
});

function formatCase({ name, classname, file, durationMs = 0, isSkipped, failures, remarks }: JunitCase): string[] {
  const fileAttribute = file === undefined ? '' : ` file=${formatAttribute(file)}`;
  const time = (durationMs / 1000).toFixed(3);
  const open = `    <testcase name=${formatAttribute(name)} classname=${formatAttribute(classname)}${fileAttribute} time="${time}"`;
  // The schema allows one failure a case, so all of them share it.
  const [first] = failures;
  const text = failures.map(({ type, message }) => escapeXml(`${type}: ${message}`)).join('\n');
  const inside = [
    ...(isSkipped ? ['      <skipped/>'] : []),
    ...(first
      ? [
          `      <failure type=${formatAttribute(first.type)} message=${formatAttribute(first.message)}>${text}</failure>`,
        ]
      : []),
    ...(remarks.length > 0 ? [`      <system-out>${remarks.map(escapeXml).join('\n')}</system-out>`] : []),
  ];
  return inside.length === 0 ? [`${open}/>`] : [`${open}>`, ...inside, '    </testcase>'];
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Line feeds are written as references, also outside of attributes: foreign text begins no line of the file. */
function escapeXml(text: string): string {
  return escapeInvisiblePart(text, '\t\n\r')
    .replace(/[\ufffe\uffff]/g, (found) => `\\u${found.charCodeAt(0).toString(16)}`)
    .replace(/[&<>"]/g, (found) => ENTITIES[found] ?? found)
    .replace(/[\t\n\r]/g, (found) => `&#${found.charCodeAt(0)};`);
}

const formatAttribute = (text: string) => `"${escapeXml(text)}"`;
