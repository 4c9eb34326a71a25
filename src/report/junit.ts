/** Formats results as a JUnit report for CI systems. */
import { toDisplayPath } from '../files/paths.ts';
import { escapeInvisiblePart } from '../output/escape.ts';
import type { Finding } from '../rules/rule.ts';

export interface JunitCase {
  folder: string;
  /** Default: the folder. */
  name?: string | null;
  /** In the folder (default: manifest.json); null if the folder no longer exists. */
  file?: string | null | undefined;
  durationMs?: number | undefined;
  /** Not started. */
  isSkipped?: boolean;
  properties?: readonly { name: string; value: string }[] | undefined;
  failures: readonly { type: string; message: string }[];
  /** Warnings and output, for `system-out`. */
  remarks: readonly string[];
}

/** Findings as failures, each with its place in the folder. */
export const toFailures = (findings: readonly Finding[]) =>
  findings.map(({ rule, file, line, column, level, message }) => ({
    type: rule,
    message: `${file}:${line}:${column} ${level}: ${message}`,
  }));

/** A report of one suite. Characters that XML 1.0 does not allow, and control characters, are written as `\uXXXX`. */
export function formatJunitReport(suite: string, results: readonly JunitCase[]): string {
  const cases = numberDuplicates(results);
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

/** Numbers cases of the same name, because CI systems show only one of them. */
function numberDuplicates(cases: readonly JunitCase[]): JunitCase[] {
  const counts = new Map<string, number>();
  return cases.map((one) => {
    const name = one.name ?? one.folder;
    const key = `${one.folder}\0${name}`;
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count === 1 ? one : { ...one, name: `${name} (${count})` };
  });
}

function formatCase({ durationMs = 0, properties = [], failures, remarks, ...facts }: JunitCase): string[] {
  const { folder, name, file = 'manifest.json', isSkipped } = facts;
  const fileAttribute = file === null ? '' : ` file=${formatAttribute(toDisplayPath(folder, file))}`;
  const time = (durationMs / 1000).toFixed(3);
  const open = `    <testcase name=${formatAttribute(name ?? folder)} classname=${formatAttribute(folder)}${fileAttribute} time="${time}"`;
  // The schema allows one failure per case, so it contains all of them.
  const [first] = failures;
  const text = failures.map(({ type, message }) => escapeXml(`${type}: ${message}`)).join('\n');
  const inside = [
    ...(properties.length > 0 ? ['      <properties>', ...properties.map(formatProperty), '      </properties>'] : []),
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

const formatProperty = ({ name, value }: { name: string; value: string }) =>
  `        <property name=${formatAttribute(name)} value=${formatAttribute(value)}/>`;

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Line feeds are always escaped, so that foreign text cannot start a line of the file. */
function escapeXml(text: string): string {
  return escapeInvisiblePart(text, '\t\n\r')
    .replace(/[\ufffe\uffff]/g, (found) => `\\u${found.charCodeAt(0).toString(16)}`)
    .replace(/[&<>"]/g, (found) => ENTITIES[found] ?? found)
    .replace(/[\t\n\r]/g, (found) => `&#${found.charCodeAt(0)};`);
}

const formatAttribute = (text: string) => `"${escapeXml(text)}"`;
