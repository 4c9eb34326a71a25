/** Limits findings, because an untrusted file may have a million. */
import type { Finding } from '../rules/rule.ts';

/** The findings of a checked folder, within the limits. */
interface LimitableReport {
  findings: readonly Finding[];
  /** The file contents for source excerpts, by file. */
  texts: ReadonlyMap<string, string>;
}

/** Maximum findings of one rule in a folder. */
const MAX_SHOWN = 100;

/** The first findings of each rule and level, and a summary of the others. */
export function limitFindings(findings: readonly Finding[]): readonly Finding[] {
  if (findings.length <= MAX_SHOWN) return findings;
  const counts = new Map<string, number>();
  const toKey = ({ rule, level }: Finding) => `${level} ${rule}`;
  for (const finding of findings) counts.set(toKey(finding), (counts.get(toKey(finding)) ?? 0) + 1);
  const shownCounts = new Map<string, number>();
  return findings.flatMap((finding) => {
    const key = toKey(finding);
    const index = shownCounts.get(key) ?? 0;
    shownCounts.set(key, index + 1);
    if (index < MAX_SHOWN) return [finding];
    return index > MAX_SHOWN ? [] : [summarizeOmitted(finding, (counts.get(key) ?? 0) - MAX_SHOWN)];
  });
}

/** Replaces the omitted findings of a rule, at the place of the first of them. */
function summarizeOmitted({ fix, ...finding }: Finding, count: number): Finding {
  return { ...finding, message: `… and ${count.toLocaleString('en-US')} more ${finding.rule}` };
}

/** A message may quote a name that is megabytes long. */
const MAX_MESSAGE = 1000;

/** Truncates in the middle, because the subject is at the start and the expected value at the end. */
export const truncateMessage = (text: string): string =>
  text.length <= MAX_MESSAGE ? text : `${text.slice(0, MAX_MESSAGE - 200)} … ${text.slice(-200)}`;

/**
 * Limits the findings of all folders of a command together; beyond that, only the first ones of each rule are kept,
 * without source excerpts.
 */
export function createResultLimiter<T extends LimitableReport>(
  maxFindings = 300_000,
  maxCharacters = 32 * 1024 * 1024,
) {
  let [findingsLeft, charactersLeft] = [maxFindings, maxCharacters];
  return (result: T): T => {
    const isWithinLimit = result.findings.length <= findingsLeft;
    const findings = isWithinLimit ? result.findings : limitFindings(result.findings);
    findingsLeft -= findings.length;
    charactersLeft -= [...result.texts.values()].reduce((sum, { length }) => sum + length, 0);
    return { ...result, findings, ...(charactersLeft < 0 && { texts: new Map() }) };
  };
}
