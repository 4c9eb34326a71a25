/** Limits the findings that people read: a file may have a million. */
import type { Finding } from '../rules/rule.ts';

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
