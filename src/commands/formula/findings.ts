/** Findings as lines. */
import { join } from 'node:path';
import { visible } from '../../output/escape.ts';
import type { Finding } from '../../rules/rule.ts';

/** `folder/file:line:column level rule: message`, and what to type instead after an arrow. */
export function findingLine(folder: string, { file, line, column, level, rule, message, fix }: Finding): string {
  return visible(`${join(folder, file)}:${line}:${column} ${level} ${rule}: ${message}${fix ? ` → ${fix}` : ''}`);
}
