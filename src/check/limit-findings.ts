/** How much is kept and shown of findings, of which a file of a stranger may have a million. */
import type { Finding } from '../rules/rule.ts';

/** What is kept of a checked folder. */
interface LimitableReport {
  findings: readonly Finding[];
  /** The texts that findings are shown in, by file. */
  texts: ReadonlyMap<string, string>;
}

/** So many findings of one rule are shown of a folder. */
const MAX_SHOWN = 100;

/** The first findings of each rule and level; where there are more, one that says how many. */
export function limitFindings(findings: readonly Finding[]): readonly Finding[] {
  if (findings.length <= MAX_SHOWN) return findings;
  const counts = new Map<string, number>();
  const toKey = ({ rule, level }: Finding) => `${level} ${rule}`;
  for (const finding of findings) counts.set(toKey(finding), (counts.get(toKey(finding)) ?? 0) + 1);
  const shown = new Map<string, number>();
  return findings.flatMap((finding) => {
    const key = toKey(finding);
    const index = shown.get(key) ?? 0;
    shown.set(key, index + 1);
    if (index < MAX_SHOWN) return [finding];
    return index > MAX_SHOWN ? [] : [summarizeOmitted(finding, (counts.get(key) ?? 0) - MAX_SHOWN)];
  });
}

/** Stands for the findings of a rule that are not shown, at the place of the first of them. */
function summarizeOmitted({ fix, ...finding }: Finding, count: number): Finding {
  return { ...finding, message: `… and ${count.toLocaleString('en-US')} more ${finding.rule}` };
}

/** A message may quote a name that is megabytes long. */
const MAX_MESSAGE = 1000;

/** The text with the middle taken out if it is too long: what was found is at the start, what must be at the end. */
export const truncateMessage = (text: string): string =>
  text.length <= MAX_MESSAGE ? text : `${text.slice(0, MAX_MESSAGE - 200)} … ${text.slice(-200)}`;

/**
 * Limits what is kept of all folders of a command together; beyond that only the first findings of each rule, and no
 * texts to show them in.
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
