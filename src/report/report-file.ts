/** --report FORMAT=FILE: checks the file before the work starts, and writes it at the end. */
import { CliError } from '../errors.ts';
import { openOutputFile } from '../files/output-file.ts';
import type { Host } from '../host/host.ts';
import { formatJunitReport, type JunitCase } from './junit.ts';
import { type ComparisonReport, formatComparisonReport, formatMarkdownReport, type PlanReport } from './markdown.ts';
import { redactTexts } from './redact-texts.ts';

/** What each format reports. */
interface Content {
  junit: { suite: string; cases: readonly JunitCase[] };
  markdown: PlanReport | ComparisonReport;
}
type Format = keyof Content;

const FORMATTERS: { [F in Format]: (content: Content[F]) => string } = {
  junit: ({ suite, cases }) => formatJunitReport(suite, cases),
  markdown: (content) => ('lines' in content ? formatComparisonReport(content) : formatMarkdownReport(content)),
};

export interface Report {
  /** Undefined without the flag. */
  format: Format | undefined;
  /** Does nothing if another format was requested. Raises usage (2) if the file cannot be written. */
  write<F extends Format>(format: F, content: Content[F]): void;
}

/** Checks the flag and that the file can be written. Without the flag, writing does nothing. Raises usage (2). */
export function openReport(
  flag: string | undefined,
  formats: readonly Format[],
  formulaPaths: readonly string[],
  host: Host,
): Report {
  if (flag === undefined) return { format: undefined, write: () => undefined };
  const [, name, typedPath] = /^(\w+)=(.+)$/s.exec(flag) ?? [];
  const requested = formats.find((format) => format === name);
  if (typedPath === undefined || requested === undefined) {
    const expected = formats.map((format) => `${format}=FILE`).join(' or ');
    throw new CliError('usage', `invalid value "${flag}" for --report: must be ${expected}`);
  }
  const write = openOutputFile({ label: 'report', typedPath, formulaPaths }, host);
  return {
    format: requested,
    write: (format, content) => {
      if (format === requested) write(FORMATTERS[format](redactTexts(content, (text) => host.redact(text))));
    },
  };
}
