/** The result of `formula validate`: document, table, summary, and JUnit cases. */
import type { CheckResult } from '../check/check-folder.ts';
import { limitFindings } from '../check/limit-findings.ts';
import { escapeControls } from '../output/escape.ts';
import type { View } from '../output/formats.ts';
import { type JunitCase, toFailures } from '../report/junit.ts';
import type { Finding } from '../rules/rule.ts';
import { countOutcomes } from '../sync/outcome.ts';
import { createFindingsFormatter } from './findings-view.ts';
import { toDocument } from './list-view.ts';

export const VALIDATE_FIELDS: readonly string[] = ['folder', 'name', 'outcome', 'findings'];

/** The findings of a folder, and whether it is valid. */
export interface FolderVerdict {
  checked: Omit<CheckResult, 'body' | 'bundle'>;
  outcome: 'valid' | 'invalid';
}

/** With `strict`, warnings make a folder invalid too. Bodies are not kept: thousands would not fit into memory. */
export function toVerdict({ body, bundle: _, ...checked }: CheckResult, strict: boolean): FolderVerdict {
  const isInvalid = !body || (strict && checked.findings.some(({ level }) => level === 'warning'));
  return { checked, outcome: isInvalid ? 'invalid' : 'valid' };
}

/** The summary line. */
export function formatValidationSummary(folders: readonly FolderVerdict[]): string {
  const { valid, invalid } = countFolders(folders);
  return folders.length === 0 ? 'nothing to do' : `${valid} valid, ${invalid} invalid`;
}

const countFolders = (folders: readonly FolderVerdict[]) => countOutcomes(folders, 'outcome', ['valid', 'invalid']);

/** The result document; as a table, the findings and the outcome of each folder, on a terminal of invalid ones. */
export function validationView(folders: readonly FolderVerdict[], verbose: boolean): View {
  const items = folders.map(({ checked: { folder, name, findings }, outcome }) => ({
    folder,
    name,
    outcome,
    findings,
  }));
  return {
    value: toDocument(items, countFolders(folders)),
    table: async (target) => {
      const formatter = createFindingsFormatter(verbose, target);
      const texts: string[] = [];
      for (const { checked, outcome } of folders) {
        texts.push(await formatter.format(checked));
        if (outcome === 'invalid' || folders.length === 1 || verbose || !target.isTerminal)
          texts.push(`${escapeControls(checked.folder)}: ${outcome}\n`);
      }
      return [...texts, ...formatter.formatOmitted().map((line) => `${line}\n`)].join('');
    },
  };
}

/** Errors are failures, with --strict and without errors also warnings; all other findings are remarks. */
export function toJunitCase({ checked: { folder, name, findings, durationMs }, outcome }: FolderVerdict): JunitCase {
  const failing = findings.some(({ level }) => level === 'error') ? 'error' : 'warning';
  const isFailure = ({ level }: Finding) => outcome === 'invalid' && level === failing;
  const shown = limitFindings(findings);
  return {
    folder,
    name,
    durationMs,
    failures: toFailures(shown.filter(isFailure)),
    remarks: toFailures(shown.filter((one) => !isFailure(one))).map(({ type, message }) => `${type}: ${message}`),
  };
}
